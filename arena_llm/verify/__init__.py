"""What `arena-llm verify` prints, and how it verifies recordings."""
