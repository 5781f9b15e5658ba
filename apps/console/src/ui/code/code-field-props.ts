export interface CodeFieldProps {
  language: 'javascript' | 'json';
  label: string;
  value?: string;
  onChange?: (value: string) => void;
  minHeight?: string;
}
