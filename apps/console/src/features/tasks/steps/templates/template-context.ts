import { Form } from 'antd';
import { createContext, useCallback, useContext } from 'react';
import type { Path, StepForm } from '../step-kind.ts';

/** Lists what a template can refer to in the step of a place, such as `trigger.payload.total`. */
export type ListPaths = (steps: readonly StepForm[], place: Path) => string[];

export const TemplatePaths = createContext<ListPaths>(() => []);
/** The place of the step whose fields are inside. */
export const StepPlace = createContext<Path>([]);

/** Returns a function that lists what templates of the step around it can refer to, as the form is at that moment. */
export function useTemplatePaths(): () => string[] {
  const listPaths = useContext(TemplatePaths);
  const place = useContext(StepPlace);
  const form = Form.useFormInstance();
  // The place is an array that is made anew with every drawing.
  const key = JSON.stringify(place);
  return useCallback(
    () => listPaths(form.getFieldValue(['workflow', 'steps']) as StepForm[], JSON.parse(key) as Path),
    [listPaths, key, form],
  );
}
