import { DownOutlined } from '@ant-design/icons';
import type { SavedView, SavedViewPage, UpdateSavedViewRequest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { Suspense, useState, type ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Menu } from '../../ui/layout/menu.tsx';
import { useIsAdmin, useSession } from '../auth/session.ts';
import { reloadViews, useSavedViews, type SavedViews as Views } from './use-saved-views.ts';

const ViewDialog = lazyPart(() =>
  import('./view-dialog.tsx').then((module) => ({ default: module.ViewDialog })),
);

type Item = ComponentProps<typeof Menu>['groups'][number]['items'][number];

/** Opens, saves, and changes the views of a list: its filters by name. */
export function SavedViews({ page }: { page: SavedViewPage }) {
  const { t } = useTranslation();
  const shown = useSavedViews(page);
  const { views, current, active, isChanged, apply, name } = shown;
  const [editing, setEditing] = useState<SavedView | 'new' | null>(null);
  const changes = useViewChanges(shown, setEditing);

  const open = (view: SavedView): Item => ({
    key: view.id,
    label: view.name,
    checked: view.id === active?.id,
    onSelect: () => apply(view),
  });
  const groups = [
    { key: 'own', label: t('views.own'), items: views.filter(({ shared }) => !shared).map(open) },
    { key: 'shared', label: t('views.shared'), items: views.filter(({ shared }) => shared).map(open) },
    { key: 'save', items: changes.saving },
    { key: 'change', items: changes.others },
  ].filter(({ items }) => items.length > 0);

  return (
    <>
      <Menu groups={groups} align="end">
        {(trigger) => (
          <Button className="views-button" loading={changes.isPending} {...trigger}>
            <span className="visually-hidden">{active && `${t('views.title')}: `}</span>
            <span className="truncate">{active?.name ?? t('views.title')}</span>
            {isChanged && <span className="muted">{t('views.changed')}</span>}
            <DownOutlined aria-hidden className="views-arrow" />
          </Button>
        )}
      </Menu>
      {editing !== null && (
        <Suspense>
          <ViewDialog
            page={page}
            query={current}
            view={editing === 'new' ? null : editing}
            onSaved={(saved) => {
              if (editing === 'new') name(saved);
              setEditing(null);
            }}
            onClose={() => setEditing(null)}
          />
        </Suspense>
      )}
    </>
  );
}

/** What can be done with the filters and the active view, as items of the menu. */
function useViewChanges(
  { current, active, isChanged, apply, name }: Views,
  edit: (view: SavedView | 'new') => void,
): { saving: Item[]; others: Item[]; isPending: boolean } {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { user } = useSession();
  const isAdmin = useIsAdmin();
  const confirmDelete = useConfirmDelete();
  const update = useMutation({
    mutationFn: ({ id, ...change }: UpdateSavedViewRequest & { id: string }) =>
      client.savedViews.update(id, change),
    onSuccess: reloadViews,
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });

  const saving: Item[] = [
    {
      key: 'new',
      label: t(active === undefined ? 'views.save' : 'views.saveNew'),
      onSelect: () => edit('new'),
    },
  ];
  if (current !== '' || active !== undefined)
    saving.push({
      key: 'clear',
      label: t('views.clear'),
      onSelect: () => apply(undefined),
    });
  if (active === undefined || (active.shared && !isAdmin))
    return { saving, others: [], isPending: update.isPending };

  if (isChanged)
    saving.unshift({
      key: 'save',
      label: t('views.saveChanges'),
      onSelect: () => {
        // The filters may have been those of the view only until now.
        name(active);
        update.mutate({ id: active.id, query: current });
      },
    });
  const others: Item[] = [
    {
      key: 'rename',
      label: t('views.rename'),
      onSelect: () => edit(active),
    },
    {
      key: 'delete',
      danger: true,
      label: t('views.delete'),
      onSelect: () =>
        confirmDelete({
          title: t('views.deleteTitle', { name: active.name }),
          text: t(active.shared ? 'views.deleteSharedText' : 'views.deleteText'),
          run: async () => {
            await client.savedViews.delete(active.id);
            name(undefined);
            await reloadViews();
          },
        }),
    },
  ];
  if (isAdmin && (!active.shared || active.ownerUserId === user.id))
    others.splice(1, 0, {
      key: 'share',
      label: t(active.shared ? 'views.unshare' : 'views.share'),
      onSelect: () => update.mutate({ id: active.id, shared: !active.shared }),
    });
  return { saving, others, isPending: update.isPending };
}
