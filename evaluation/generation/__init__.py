"""Model requests: parameters, budgets, prices, faults, and context truncation."""
