import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button, type ButtonProps } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface CopyButtonProps extends Omit<ButtonProps, 'onClick'> {
  text: string | (() => string);
  /** Accessible name of the button, and its visible text if `showLabel` is true. */
  label: string;
  showLabel?: boolean;
}

export function CopyButton({ text, label, showLabel = false, ...button }: CopyButtonProps) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    await writeClipboard(typeof text === 'string' ? text : text());
    setCopied(true);
  };

  return (
    <Button
      {...button}
      icon={copied ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
      aria-label={copied ? t('common.copied') : label}
      title={showLabel ? undefined : label}
      onClick={() => void copy()}
    >
      {showLabel ? (copied ? t('common.copied') : label) : null}
    </Button>
  );
}

/** Falls back to a command, because the clipboard API exists only on secure origins, not on plain HTTP. */
async function writeClipboard(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  document.body.append(area);
  area.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure origin
  document.execCommand('copy');
  area.remove();
}
