"""Downloads: retrieval, checksums and provenance."""
