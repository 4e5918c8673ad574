"""A trained model as a small difference to the embedded base model.

A tower trained from the embedded all-MiniLM-L6-v2 has 91 MB of weights, almost all of which its base has too, nearly.
Packed, it is one file: for each matrix that changed the difference to the base, in a few bits per number
(:mod:`~arborlink.encoders.packed_model.quantised`), and the rest exactly
(:mod:`~arborlink.encoders.packed_model.differences`). The folder of a packed model is a model folder like any other,
with ``delta.safetensors`` in a tower's folder instead of the tower; it is put together in memory when it is loaded.

References:
    Liu, Xiao, Li, Lee, Han, Dao and Cai, BitDelta: Your Fine-Tune May Only Be Worth One Bit, 2024, on how little
    a fine-tuned model differs from its base.
"""
