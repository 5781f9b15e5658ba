import {
  CheckCircleFilled,
  CloseCircleFilled,
  DownOutlined,
  ExclamationCircleFilled,
  InfoCircleFilled,
  QuestionCircleOutlined,
  SearchOutlined,
} from '@ant-design/icons';
import type { ConfigProviderProps } from 'antd';
import { useTranslation } from 'react-i18next';

function ClearIcon() {
  const { t } = useTranslation();
  return <CloseCircleFilled aria-label={t('common.clear')} />;
}

function SearchIcon() {
  const { t } = useTranslation();
  return <SearchOutlined aria-label={t('common.search')} />;
}

function HelpIcon() {
  const { t } = useTranslation();
  return <QuestionCircleOutlined aria-label={t('common.help')} />;
}

/** For inputs whose button to clear them has a name. */
export const CLEARABLE = { clearIcon: <ClearIcon /> };

/**
 * The icons of antd, which screen readers read out by the names of their files, such as "down", unless they are hidden or named.
 */
export const ANTD_ICONS = {
  select: { suffixIcon: <DownOutlined aria-hidden />, clearIcon: <ClearIcon /> },
  inputSearch: { searchIcon: <SearchIcon /> },
  alert: {
    successIcon: <CheckCircleFilled aria-hidden />,
    infoIcon: <InfoCircleFilled aria-hidden />,
    warningIcon: <ExclamationCircleFilled aria-hidden />,
    errorIcon: <CloseCircleFilled aria-hidden />,
  },
} satisfies ConfigProviderProps;

export const FORM_ICONS = { tooltip: { icon: <HelpIcon /> } } satisfies ConfigProviderProps['form'];
