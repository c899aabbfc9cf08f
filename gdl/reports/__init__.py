"""What is told about rulesheets and games: graphs, figures, traces, speed."""
