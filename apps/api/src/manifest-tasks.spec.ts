import './tasks/execution/code.action.ts';
import { checkManifestTasks, newManifestDefinition } from './tasks/definition/manifest-tasks.ts';

const task = (more: object = {}) => ({
  key: 'a',
  name: 'Greet',
  workflow: { steps: [{ id: 'main', kind: 'code' as const, source: '' }] },
  ...more,
});

describe('tasks of a manifest', () => {
  it.each<[string, unknown, unknown[]]>([
    ['no list', {}, ['/tasks must be an array of at most 100 tasks']],
    ['no object', [1], ['/tasks/0 must be an object']],
    ['a key twice', [task(), task()], ['/tasks/1/key must be unique: another task has the key a']],
    ['a wrong key', [task({ key: 'a b' })], ['/tasks/0/key must be 1 to 64 letters, digits, _ or -']],
    ['a key to escape', [task({ 'x/y~': 1 })], ['/tasks/0/x~1y~0 is not a known field']],
    ['a blank name', [task({ name: ' ' })], ['/tasks/0/name must be a text of 1 to 120 characters']],
    ['a wrong type', [task({ type: 'x' })], ['/tasks/0/type must be one of MANUAL, SCHEDULE, EVENT']],
    ['no workflow', [task({ workflow: null })], ['/tasks/0/workflow must be an object with steps']],
    [
      'a wrong step',
      [task({ workflow: { steps: [{ id: 'main', kind: 'x' }] } })],
      [expect.stringMatching('^/tasks/0/workflow/steps/0/kind must be one of .*code')],
    ],
    [
      'no schedule',
      [task({ type: 'SCHEDULE' })],
      ['/tasks/0/schedule is required for a task of type SCHEDULE'],
    ],
    [
      'a schedule too many',
      [task({ type: 'EVENT', schedule: { cron: '* * * * *', timezone: 'UTC' } })],
      ['/tasks/0/schedule must not be given for a task of type EVENT'],
    ],
    [
      'a wrong schedule',
      [task({ schedule: { cron: 'x', timezone: 1 } })],
      [
        '/tasks/0/schedule/cron must have five fields: minute, hour, day of month, month, and day of week',
        '/tasks/0/schedule/timezone must be the IANA name of a time zone, such as Europe/Berlin',
      ],
    ],
    [
      'wrong numbers',
      [
        task({
          concurrency: 1.5,
          timeoutMs: '1000',
          retry: { attempts: -1, backoffMs: 3_600_001, onInterrupted: 1 },
        }),
      ],
      [
        '/tasks/0/concurrency must be an integer from 1 to 100',
        '/tasks/0/timeoutMs must be an integer from 1000 to 86400000',
        '/tasks/0/retry/attempts must be an integer from 0 to 10',
        '/tasks/0/retry/backoffMs must be an integer from 0 to 3600000',
        '/tasks/0/retry/onInterrupted must be true or false',
      ],
    ],
    ['a correct one', [task({ type: null, schedule: null, retry: null, concurrency: 1 })], []],
  ])('%s', (_, tasks, problems) => {
    expect(checkManifestTasks(tasks, '/tasks')).toEqual(problems);
  });

  it('has the type of what it has', () => {
    const schedule = { cron: '* * * * *', timezone: 'UTC' };
    expect(newManifestDefinition(task())).toMatchObject({ type: 'EVENT', concurrency: 5, timeoutMs: 60_000 });
    expect(newManifestDefinition({ ...task(), schedule })).toMatchObject({ type: 'SCHEDULE', schedule });
  });
});
