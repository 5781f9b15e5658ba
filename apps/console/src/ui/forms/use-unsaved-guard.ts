import { useUnsavedInput } from '../browser/unsaved-input.ts';

/** Asks for confirmation before the user leaves a page with unsaved input or closes the tab. */
export function useUnsavedGuard(unsaved: boolean): void {
  useUnsavedInput('page', () => unsaved);
}
