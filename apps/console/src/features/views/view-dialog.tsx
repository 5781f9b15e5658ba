import { SAVED_VIEW_LIMITS, type SavedView, type SavedViewPage } from '@platform/contracts';
import { Checkbox, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';
import { useIsAdmin } from '../auth/session.ts';
import { reloadViews } from './use-saved-views.ts';

interface ViewDialogProps {
  page: SavedViewPage;
  /** The filters that a new view has. */
  query: string;
  /** The view that is renamed; null: a new one. */
  view: SavedView | null;
  onSaved: (view: SavedView) => void;
  onClose: () => void;
}

/** Asks for the name of a view. */
export function ViewDialog({ page, query, view, onSaved, onClose }: ViewDialogProps) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  return (
    <DialogForm
      title={t(view === null ? 'views.saveTitle' : 'views.renameTitle')}
      submitText={t('common.save')}
      fields={['name', 'shared']}
      width={420}
      initialValues={{ name: view?.name, shared: false }}
      save={({ name, shared = false }: { name: string; shared?: boolean }) =>
        view === null
          ? client.savedViews.create({ page, name, query, shared })
          : client.savedViews.update(view.id, { name })
      }
      onSaved={async (saved) => {
        await reloadViews();
        onSaved(saved);
      }}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={t('common.name')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input maxLength={SAVED_VIEW_LIMITS.nameChars} />
      </Form.Item>
      {view === null && isAdmin && (
        <Form.Item name="shared" valuePropName="checked" extra={t('views.sharedText')}>
          <Checkbox>{t('views.share')}</Checkbox>
        </Form.Item>
      )}
    </DialogForm>
  );
}
