"""What Redis keeps beside the lists themselves."""
