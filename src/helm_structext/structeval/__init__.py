"""StructEval: generating and converting 18 formats of structured output."""
