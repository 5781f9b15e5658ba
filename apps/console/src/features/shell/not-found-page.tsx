import { CompassOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useDocumentTitle } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';

export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useDocumentTitle(t('notFound.title'));
  return (
    <div className="center-screen">
      <h1 className="visually-hidden">{t('notFound.title')}</h1>
      <EmptyState
        icon={<CompassOutlined aria-hidden />}
        title={t('notFound.title')}
        text={t('notFound.text')}
      >
        <Button type="primary" onClick={() => void navigate('/')}>
          {t('notFound.home')}
        </Button>
      </EmptyState>
    </div>
  );
}
