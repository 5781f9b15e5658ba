import { describe, expect, it } from '@jest/globals';
import { UploadQueue, type Skipped, type Upload } from './upload-queue.ts';

const files = (...names: string[]) => names.map((name) => new File(['x'], name));

const gateOf = () => {
  const { promise: opened, resolve } = Promise.withResolvers<undefined>();
  return { opened, open: () => resolve(undefined) };
};

/** A queue whose files are sent when the test says so. */
function createQueue(ready?: () => Promise<void>) {
  const sent: string[] = [];
  const open: { resolve: (skipped: Skipped) => void; reject: (error: Error) => void }[] = [];
  let uploads: Upload[] = [];
  const queue = new UploadQueue(
    ({ name }, signal) => {
      sent.push(name);
      return new Promise<Skipped>((resolve, reject) => {
        open.push({ resolve, reject });
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    },
    (changed) => (uploads = changed),
    ready,
  );
  const states = () => uploads.map(({ name, state }) => `${name} ${state}`);
  const settle = async (end: 'resolve' | 'reject', skipped: Skipped = []) => {
    const next = open.shift();
    if (end === 'resolve') next?.resolve(skipped);
    else next?.reject(new Error('too large'));
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { queue, sent, states, settle, uploads: () => uploads };
}

describe('UploadQueue', () => {
  it('sends one file after another, and goes on after a failure', async () => {
    const { queue, sent, states, settle, uploads } = createQueue();
    queue.add(files('a', 'b', 'c'));
    expect(states()).toEqual(['a sending', 'b waiting', 'c waiting']);
    await settle('resolve');
    expect(states()).toEqual(['a done', 'b sending', 'c waiting']);
    await settle('reject');
    await settle('resolve');
    expect(states()).toEqual(['a done', 'b failed', 'c done']);
    expect(uploads()[1]?.error).toEqual(new Error('too large'));
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('takes more files while it sends, and afterwards forgets those that were sent', async () => {
    const { queue, states, settle } = createQueue();
    queue.add(files('a', 'b'));
    queue.add(files('c'));
    await settle('resolve');
    await settle('reject');
    await settle('resolve');
    expect(states()).toEqual(['a done', 'b failed', 'c done']);
    queue.add(files('d'));
    expect(states()).toEqual(['b failed', 'd sending']);
  });

  it('keeps what was skipped in an archive until the user has read it', async () => {
    const { queue, states, settle, uploads } = createQueue();
    queue.add(files('a.zip'));
    const skipped = [{ fileName: 'tool.exe', reason: 'The file must be text.' }];
    await settle('resolve', skipped);
    queue.add(files('b'));
    expect(states()).toEqual(['a.zip done', 'b sending']);
    expect(uploads()[0]?.skipped).toEqual(skipped);
    await settle('resolve');
    queue.clear();
    expect(uploads()).toEqual([]);
  });

  it('keeps a file that failed, to send it again', async () => {
    const { queue, sent, states, settle } = createQueue();
    queue.add(files('a', 'b'));
    await settle('reject');
    await settle('resolve');
    queue.again(1);
    queue.again(2);
    expect(states()).toEqual(['a sending', 'b done']);
    await settle('resolve');
    queue.again(1);
    expect(states()).toEqual(['a done', 'b done']);
    expect(sent).toEqual(['a', 'b', 'a']);
  });

  it('waits with each file until there is a connection', async () => {
    const { opened, open } = gateOf();
    const { queue, states, settle } = createQueue(() => opened);
    queue.add(files('a'));
    await settle('resolve');
    expect(states()).toEqual(['a waiting']);
    open();
    await settle('resolve');
    expect(states()).toEqual(['a sending']);
  });

  it('stops a file that waits for a connection, and does not call it uploaded', async () => {
    const { opened, open } = gateOf();
    const { queue, sent, states, settle } = createQueue(() => opened);
    queue.add(files('a', 'b'));
    queue.stop();
    open();
    await settle('resolve');
    expect(states()).toEqual(['a stopped', 'b stopped']);
    expect(sent).toEqual([]);
  });

  it('can be stopped, and started again with other files', async () => {
    const { queue, sent, states, settle } = createQueue();
    queue.add(files('a', 'b'));
    queue.stop();
    await settle('resolve');
    expect(states()).toEqual(['a stopped', 'b stopped']);
    queue.add(files('c'));
    await settle('resolve');
    expect(states()).toEqual(['c done']);
    expect(sent).toEqual(['a', 'c']);
  });
});
