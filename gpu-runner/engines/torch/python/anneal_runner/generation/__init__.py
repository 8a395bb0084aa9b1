"""Text generation: requests for one base share batches, whatever their adapters."""
