import { SearchOutlined } from '@ant-design/icons';
import { Input, type InputProps } from 'antd';
import { CLEARABLE } from '../layout/antd-icons.tsx';

interface SearchInputProps extends Omit<InputProps, 'className' | 'type' | 'prefix' | 'placeholder'> {
  /** What is searched, also as the placeholder. */
  label: string;
}

/** A field for what a list is searched for. */
export function SearchInput({ label, ...props }: SearchInputProps) {
  return (
    <Input
      className="search"
      type="search"
      allowClear={CLEARABLE}
      prefix={<SearchOutlined aria-hidden />}
      placeholder={label}
      aria-label={label}
      {...props}
    />
  );
}
