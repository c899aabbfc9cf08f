"""What the commands of ``ggp-player lab`` do, a module for each subject."""
