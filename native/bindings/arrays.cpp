#include "bindings/arrays.hpp"

namespace blocklda {

bool is_sealed(nb::handle array) {
    const nb::object kind = nb::module_::import_("numpy").attr("ndarray");
    nb::object at = nb::borrow(array);
    bool is_behind_a_view = false;
    while (!at.is_none()) {
        if (nb::isinstance(at, kind)) {
            if (nb::cast<bool>(at.attr("flags").attr("writeable"))) return false;
            at = nb::object(at.attr("base"));
        } else if (PyMemoryView_Check(at.ptr())) {
            if (!nb::cast<bool>(at.attr("readonly"))) return false;
            is_behind_a_view = true;
            at = nb::object(at.attr("obj"));
        } else {
            return false;  // a file or a buffer that others may write to
        }
    }
    return is_behind_a_view;
}

}  // namespace blocklda
