"""Policies made elsewhere: stable-baselines3 archives, ONNX, TorchScript, ``torch.export``."""
