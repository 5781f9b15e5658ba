export const savedViews = {
  'saved-views.private': {
    source: 'console: Second pass',
    behavior:
      'A person keeps the filters of a list by name, in their canonical form: at most 50 of each page, with unique names; the same view again is the one that is there',
  },
  'saved-views.shared': {
    source: 'console: Second pass',
    behavior:
      'Admins share views with everybody who may open their page, and change and delete shared ones, which the audit log records; members neither share nor change them',
  },
  'saved-views.leaving': {
    source: 'console: Second pass',
    behavior: 'The private views of a removed member are deleted; shared ones stay',
  },
} as const;
