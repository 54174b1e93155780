"""Where facts are kept: journals and files. This room knows no trial and no part of a study."""
