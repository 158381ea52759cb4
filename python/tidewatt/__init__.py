"""Power and heat of AI training clusters, simulated together."""
