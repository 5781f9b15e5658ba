export const jobs = {
  'job.contents': {
    source: 'spec: Asynchronous agent job; contract §5',
    behavior: 'A job with contents is answered 202, runs on its own, and results in the answer of a chat',
  },
  'job.inputs': {
    source: 'spec: Asynchronous agent job; contract §5',
    behavior: 'A job with inputs results in the answer of an execution, exactly',
  },
  'job.invalid': {
    source: 'contract §5; §1, order of checks',
    behavior: 'Wrong bodies are a 400 that names the field, behind 404 and 403 of the agent',
  },
  'job.idempotent': {
    source: 'spec: client options; contract §5',
    behavior: 'The same key gets the first job with 200, however many at once; another body is a 409',
  },
  'job.list': {
    source: 'contract §5',
    behavior: 'The caller’s own jobs, newest first, by status and agent, page by page',
  },
  'job.progress': {
    source: 'spec: Job; contract §5',
    behavior: 'A job tells phase and progress as it goes on, each at its change, progress never back',
  },
  'job.version': {
    source: 'contract §5',
    behavior:
      'Every answer about a job has an ETag over all of it; with If-None-Match it waits for a change, then 304',
  },
  'job.input': {
    source: 'console.md, jobs; contract §5',
    behavior:
      'A job is returned with the message and the inputs that it was given, bounded, if the caller asks for them',
  },
  'job.fair': {
    source: 'contract §1, §5',
    behavior:
      'Queued jobs start round-robin over users, whoever runs the fewest turns first, in all processes',
  },
  'job.frozen': {
    source: 'contract §5',
    behavior: 'A job that has ended stays as it is, whatever happens to its turn',
  },
  'job.stream': {
    source: 'contract §5',
    behavior: 'The stream of a job is that of its turn, byte for byte, during it and after',
  },
  'job.cancel': {
    source: 'spec: Turn, interaction, job; contract §5',
    behavior: 'A job is cancelled where it waits, runs or asks; what has ended stays as it is',
  },
  'job.timeout': {
    source: 'spec: client options; contract §5',
    behavior: 'A job whose time is over is TIMED_OUT, its turn stopped, and what was said kept',
  },
  'job.question': {
    source: 'contract §5',
    behavior:
      'A job that asks is INPUT_REQUIRED with its question; the ordinary resume goes on and the job follows',
  },
  'job.session.busy': {
    source: 'contract §5',
    behavior: 'A job on a busy session waits in QUEUED and runs when it is free, the oldest first',
  },
  'job.failed': {
    source: 'contract §5',
    behavior: 'A job whose turn failed is FAILED with the code and the message of the failure',
  },
  'job.access': {
    source: 'contract §1, §2',
    behavior:
      'Others’ jobs are 404, of another space 403; the agent’s access is asked at every call and at the claim',
  },
  'job.crash': {
    source: 'contract §5; turns.md',
    behavior:
      'A job that a crash interrupted is claimed once more by itself, then FAILED; no stored step is made again',
  },
  'job.outage': {
    source: 'events.md, messaging; contract §5',
    behavior:
      'While messaging is away jobs are taken, and run when it is back; none is lost, none runs twice',
  },
  'job.role': {
    source: 'contract §9',
    behavior: 'A process that serves only takes jobs and runs none',
  },
  'webhook.signed': {
    source: 'contract §5',
    behavior: 'Each end of a job and each question is told to its webhook, signed as Standard Webhooks says',
  },
  'webhook.retry': {
    source: 'contract §5',
    behavior: 'What was not taken is sent again, later and later, with the same id and body',
  },
  'webhook.secret': {
    source: 'contract §5; §2',
    behavior: 'Admins make the secret; it is shown once, and the one before it signs for a day more',
  },
  'webhook.deliveries': {
    source: 'console.md, webhook deliveries; contract §2',
    behavior:
      'Admins list what was sent and see each attempt with its status; what a job says, and what a server responds to it, only its owner reads, without secrets',
  },
  'webhook.attempts': {
    source: 'console.md, webhook deliveries',
    behavior: 'Each attempt is recorded once, also if its process dies, and no more than the last 20',
  },
  'webhook.again': {
    source: 'console.md, webhook deliveries',
    behavior: 'What was given up is sent again with the same id, once for each decision, while it is kept',
  },
  'webhook.test': {
    source: 'console.md, webhook deliveries',
    behavior: 'A signed test message is sent once, and tells what any server made of it',
  },
} as const;
