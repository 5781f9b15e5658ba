/** Applications: installation, manifests, system keys, and rows. */
export const applications = {
  'applications.install': {
    source: 'spec: Registered event, Subscription; contract §7; issue 8',
    behavior:
      'POST of a manifest is 201 with the application and its system key, and registers its events, tasks, and default subscriptions',
  },
  'applications.install.installed': {
    source: 'contract §7',
    behavior: 'Installing an application that is installed is 409 and names the upgrade',
  },
  'applications.own-tasks': {
    source: 'spec: Subscription; contract §7, Manifest',
    behavior: 'Default subscriptions connect tasks of the application with its own events, and nothing else',
  },
  'applications.manifest': {
    source: 'contract §7, Manifest; issue 8',
    behavior:
      'An invalid manifest is rejected as a whole: 400 with the JSON pointer of everything that is wrong',
  },
  'applications.manifest.tools': {
    source: 'contract §7, Manifest; decision 25',
    behavior:
      'A manifest with tools is rejected; steps of an application call the tools of the platform by name',
  },
  'applications.manifest.bounds': {
    source: 'issue 8; quality: Security',
    behavior:
      'A manifest has at most 1 MB, 200 events, 100 tables, 100 columns, 100 tasks, and 200 subscriptions',
  },
  'applications.manifest.tables': {
    source: 'contract §7, Manifest',
    behavior: 'A table whose columns cannot satisfy the schema of its event rejects the manifest',
  },
  'applications.upgrade': {
    source: 'spec: Subscription; contract §7; events: Applications',
    behavior:
      'An upgrade brings everything to the new manifest, lists the changes, and keeps key, switches, and filters',
  },
  'applications.possible': {
    source: 'design: Everyone in the installation, Numbers',
    behavior:
      'Filters and templates of a manifest that its events can never match or resolve are refused by JSON pointer; an upgrade that breaks those of users says so',
  },
  'applications.upgrade.dry-run': {
    source: 'contract §7; issue 8',
    behavior: 'A dry run checks the manifest, names the subscriptions that would break, and changes nothing',
  },
  'applications.upgrade.repeated': {
    source: 'events: Applications',
    behavior: 'The installed manifest again changes nothing; a different one of the same version is 409',
  },
  'applications.uninstall': {
    source: 'events: Applications; contract §6, §7',
    behavior:
      'Uninstalling stops events, tasks, and default subscriptions, deletes nothing, and can be repeated',
  },
  'applications.reinstall': {
    source: 'events: Applications',
    behavior:
      'Installing again restores everything, with the switches, filters, and deletions that there were',
  },
  'applications.user-subscriptions': {
    source: 'spec: Subscription',
    behavior:
      'Subscriptions that users created survive the uninstallation and the upgrade of the application',
  },
  'applications.system-key': {
    source: 'spec: Authentication, 2; contract §2, §7',
    behavior: 'A system key is shown once, stored as a hash, and listed by its prefix and last use',
  },
  'applications.system-key.rotation': {
    source: 'contract §7',
    behavior: 'Rotating returns a new key; the previous one is 401 at once',
  },
  'applications.system-key.overlap': {
    source: 'events.md, Batch',
    behavior:
      'Two system keys can be valid at once: create the second, list both with their last use, revoke one; a third is 409',
  },
  'applications.system-key.emit-only': {
    source: 'contract §2; quality: Security',
    behavior: 'An application may only emit: its key is 403 on every other route',
  },
  'applications.faults': {
    source: 'quality: Tests; faults: lost COMMIT responses',
    behavior:
      'A lost response to COMMIT of an installation, upgrade, or rotation is resolved by looking it up',
  },
  'applications.races': {
    source: 'quality: Tests',
    behavior: 'Of concurrent installations of one application, one succeeds',
  },
  'data.rows': {
    source: 'contract §7, Data',
    behavior: 'Members create, list, change, and delete rows as bare column values',
  },
  'data.types': {
    source: 'contract §7, Data; design: Data writes',
    behavior:
      'Values that do not fit their columns, missing required ones, and unknown columns are 400 and named',
  },
  'data.filter': {
    source: 'issue 18; contract §7',
    behavior:
      'Rows are found by columns that equal, compare with, or begin with a value; one call looks at a bounded number of rows',
  },
  'data.sort': {
    source: 'issue 18; contract §7',
    behavior:
      'Rows are sorted by creation or by any column that is not JSON, in either direction, page by page',
  },
  'data.steps': {
    source: 'issue 18: platform.data; workflows: Steps',
    behavior: 'Steps find, get, insert, update, and delete rows as the owner of the task, with templates',
  },
  'data.steps.events': {
    source: 'events: Loop guard; issue 18',
    behavior: 'Rows that a run inserts emit as children of the run, and count against the limit of the space',
  },
  'data.steps.once': {
    source: 'workflows: Keys',
    behavior: 'A step writes once in all attempts of its run, also if the response to COMMIT is lost',
  },
  'data.steps.refused': {
    source: 'issue 18, line 12',
    behavior:
      'A step that can never work is refused when it is stored, in a task or a manifest; values that do not fit, or too many bytes, change nothing',
  },
  'data.steps.code': {
    source: 'issue 18: platform.data',
    behavior: 'Code works with rows by platform.data',
  },
  'data.emits': {
    source: 'spec: Event bus events; contract §7, Data',
    behavior:
      'An insert emits the event of its table with source datasource: id, createdAt, and all columns; updates and deletes emit nothing',
  },
  'data.atomic': {
    source: 'faults F23',
    behavior: 'A write that does not commit leaves no envelope; one that commits leaves one per row',
  },
  'data.batch': {
    source: 'design: Data writes',
    behavior: 'Many rows are written in one transaction, with one envelope each',
  },
  'data.schema': {
    source: 'design: Data writes; contract §6',
    behavior:
      'A row that violates the schema of its event is written; its envelope is FAILED with PAYLOAD_SCHEMA',
  },
  'data.space': {
    source: 'contract §1, 403/404',
    behavior: 'Rows of another space cannot be read or changed',
  },
} as const;
