"""Tools of the repository: the wheel, the lowest versions, and the chart library of the report."""
