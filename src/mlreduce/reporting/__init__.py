"""From scores to tables, figures, the audit of printed numbers, and the page that shows them."""
