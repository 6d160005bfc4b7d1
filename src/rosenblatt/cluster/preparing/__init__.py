"""What comes before the rounds of a fit: how rows become numbers, and which are held out."""
