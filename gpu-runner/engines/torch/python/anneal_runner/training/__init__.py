"""LoRA training of decoders on chat rows."""
