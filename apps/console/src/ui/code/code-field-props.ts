/** What can take the place of a part of a text. */
export interface Completions {
  from: number;
  to: number;
  items: { label: string; insert: string }[];
}

export interface CodeFieldProps {
  language: 'javascript' | 'json';
  label: string;
  value?: string;
  onChange?: (value: string) => void;
  minHeight?: string;
  /** Returns what can be suggested at the caret; null: nothing. It stays the same function. */
  complete?: (text: string, caret: number) => Completions | null;
}
