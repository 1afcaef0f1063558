"""What only the workflow needs: study files, tables, figures, audit, verdicts, the site and provenance."""
