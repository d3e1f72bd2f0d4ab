"""The Udacity simulator: its protocol, recordings and frames, the bridge, and a stand-in for it."""
