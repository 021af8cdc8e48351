"""Texts that want to be more than text."""

from __future__ import annotations

__all__ = ["HOSTILE_TEXTS"]

HOSTILE_TEXTS = [
    "</script><script>window.broken=1</script> <img src=http://127.0.0.1:9/x onerror=broken()>",
    '"; window.broken=1; // ${window.broken=1} `${1}` \\u003cscript\\u003e </textarea>',
    "<!-- <!--<script> --> &lt;script&gt; &amp; &#x3c; ]]> <![CDATA[ \u2028 \u2029 \ufeff",
    "javascript:window.broken=1 data:text/html,<script>window.broken=1</script> </style><b>",
    "\u202eright-to-left\u202c \U0001f600 e\u0301 İ ẞ __proto__ constructor toString {{7*7}}",
    "<svg onload=window.broken=1> </SCRIPT > </scr\u0130pt> <iframe srcdoc='<script>'> plain words",
] * 4
