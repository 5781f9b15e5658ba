import type { Run, Task, TestTaskRequest } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { client, keys, queryClient } from '../../../api.ts';
import { runQuery } from '../../runs/run-query.ts';
import { createInputs, type TestInput } from './test-input.ts';

export type Effects = NonNullable<TestTaskRequest['effects']>;

/** The test of a task, which stays when the form of the task is drawn anew. */
export interface TaskTest {
  task: Task;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  effects: Effects;
  setEffects: (effects: Effects) => void;
  /** What the test is given. */
  input: TestInput;
  change: (changes: Partial<TestInput>) => void;
  /** The last test, also while it executes. */
  run: Run | undefined;
  start: (request: TestTaskRequest, onRefused?: (error: Error) => void) => void;
  stop: () => void;
  isStarting: boolean;
  /** Why the last test could not be started. */
  error: Error | null;
}

/** Tests a task, and follows the run of the test until it has ended. */
export function useTaskTest(task: Task): TaskTest {
  const [isOpen, setOpen] = useState(false);
  const [effects, setEffects] = useState<Effects>('none');
  const [runId, setRunId] = useState<string>();
  const [input, setInput] = useState<TestInput>(() => ({
    source: task.type === 'EVENT' ? 'past' : 'inputs',
    envelopeId: undefined,
    pastEventKey: undefined,
    eventKey: undefined,
    payload: '{}',
    inputs: createInputs(task.workflow),
  }));
  const change = useCallback(
    (changes: Partial<TestInput>) => setInput((before) => ({ ...before, ...changes })),
    [],
  );
  const started = useMutation({
    mutationFn: (request: TestTaskRequest) => client.tasks.test(task.id, request),
    onSuccess: (run) => {
      queryClient.setQueryData(keys.run(run.id), run);
      setRunId(run.id);
    },
  });
  const run = useQuery({ ...runQuery(runId ?? ''), enabled: runId !== undefined });
  const stop = useMutation({
    mutationFn: (id: string) => client.runs.cancel(id),
    onSuccess: (stopped) => queryClient.setQueryData(keys.run(stopped.id), stopped),
  });
  return {
    task,
    isOpen,
    setOpen,
    effects,
    setEffects,
    input,
    change,
    run: run.data,
    start: (request, onRefused) => started.mutate(request, onRefused && { onError: onRefused }),
    stop: () => runId !== undefined && stop.mutate(runId),
    isStarting: started.isPending,
    error: started.error ?? stop.error,
  };
}
