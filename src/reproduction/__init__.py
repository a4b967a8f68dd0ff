"""What turns the library into the pipeline that reproduces the paper."""
