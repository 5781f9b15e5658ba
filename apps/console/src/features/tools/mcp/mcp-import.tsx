import type { Tool, ToolImport, ToolOffer } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, App, Button } from 'antd';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { useUnsavedGuard } from '../../../ui/forms/use-unsaved-guard.ts';
import { Card } from '../../../ui/layout/card.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { Page } from '../../../ui/layout/page.tsx';
import { EmptyState, ErrorState, PageSpinner } from '../../../ui/layout/states.tsx';
import { LongDataList } from '../../../ui/lists/data-list.tsx';
import { useDrawerParam } from '../../../ui/url/use-drawer-param.ts';
import { changeSelection } from '../document/selection.ts';
import { ChooseShown, MethodFilters } from '../import/method-filters.tsx';
import { toStaticList } from '../import/static-list.ts';
import { OfferDrawer } from './offer-drawer.tsx';
import { useOfferColumns } from './offer-columns.tsx';
import { isChoosable, keyOf, matchesOffer, suggestOffers, toRequest } from './offers.ts';
import { ServerFacts } from './server-facts.tsx';

const ROW_HEIGHT = { wide: 58, narrow: 128 };
const STATUSES = ['changed', 'removed', 'new', 'unchanged'] as const;

/** Compares a tool with what its MCP server offers, and imports what is chosen. */
export function McpImport({ tool }: { tool: Tool }) {
  const { t } = useTranslation();
  const preview = useQuery({
    queryKey: [...keys.tool(tool.id), 'offers'],
    queryFn: () => client.tools.importMcp(tool.id),
    // The server is asked when somebody looks, and its answer stays on the screen while they choose: to read it again whenever
    // the tool changes would undo what they have chosen. If it is out of date, the import is refused, and says so.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });
  return (
    <Page
      title={t('toolMcp.title', { name: tool.name })}
      description={t('toolMcp.description')}
      parent={{ to: paths.tool(tool.id), label: tool.name }}
    >
      {preview.isFetching && <PageSpinner />}
      {!preview.isFetching && preview.data === undefined && (
        <ErrorState error={preview.error} retry={() => void preview.refetch()} />
      )}
      {!preview.isFetching && preview.data !== undefined && (
        <div className="stack-cards">
          <ServerFacts found={preview.data} />
          <Offers key={preview.dataUpdatedAt} found={preview.data} onReload={() => void preview.refetch()} />
        </div>
      )}
    </Page>
  );
}

function Offers({ found, onReload }: { found: ToolImport; onReload: () => void }) {
  const { t } = useTranslation();
  const { tool, offers } = found;
  const [suggested] = useState(() => suggestOffers(found));
  const [chosen, setChosen] = useState(suggested);
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<ToolOffer['status']>();
  const [openKey, open, close] = useDrawerParam('offer');
  const shown = useMemo(
    () => offers.filter((offer) => (status ?? offer.status) === offer.status && matchesOffer(offer, search)),
    [offers, status, search],
  );
  const choosable = shown.filter(isChoosable).map(keyOf);
  const opened = offers.find((offer) => keyOf(offer) === openKey);
  const save = useImportMutation(found, chosen, kept);
  useUnsavedGuard(chosen !== suggested && !save.isPending && !save.isSuccess);
  const columns = useOfferColumns({
    chosen,
    onChoose: (offer, isChosen) => setChosen(changeSelection(chosen, [keyOf(offer)], isChosen)),
    onOpen: (offer) => open(keyOf(offer)),
  });
  const waiting = countOf(offers, 'changed');

  return (
    <Card title={t('toolMcp.offers')}>
      <div className="stack">
        {waiting > 0 && <Alert type="warning" showIcon title={t('toolMcp.waiting', { count: waiting })} />}
        <div className="row wrap">
          <MethodFilters
            search={search}
            onSearch={setSearch}
            label={t('toolPages.status')}
            any={t('toolMcp.anyStatus')}
            kind={status}
            onKind={setStatus}
            kinds={STATUSES}
            toText={(one) => `${t(`toolMcp.statuses.${one}`)} (${countOf(offers, one)})`}
          />
          <ChooseShown
            choosable={choosable.length}
            chosen={chosen.size}
            onChoose={() => setChosen(changeSelection(chosen, choosable, true))}
            onClear={() => setChosen(new Set())}
          />
        </div>
        <LongDataList
          label={t('toolMcp.offers')}
          list={toStaticList(offers)}
          items={shown}
          columns={columns}
          rowKey={keyOf}
          rowHeight={ROW_HEIGHT}
          empty={<EmptyState title={t('toolMcp.none')} />}
          noMatch={<EmptyState title={t('toolPages.noMatch')} />}
        />
        {save.error !== null && <ImportError error={save.error} onReload={onReload} />}
        <div>
          <Button
            type="primary"
            disabled={chosen.size === 0}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t('toolMcp.submit', { count: chosen.size })}
          </Button>
        </div>
      </div>
      {opened !== undefined && (
        <OfferDrawer
          tool={tool}
          offer={opened}
          keepsEdits={kept.has(opened.tool)}
          onKeepEdits={(keeps) => setKept(changeSelection(kept, [opened.tool], keeps))}
          onClose={close}
        />
      )}
    </Card>
  );
}

function ImportError({ error, onReload }: { error: Error; onReload: () => void }) {
  const { t } = useTranslation();
  return (
    <section className="error-box stack" role="alert">
      <p>{getErrorMessage(error, t)}</p>
      <div>
        <Button onClick={onReload}>{t('toolMcp.compareAgain')}</Button>
      </div>
    </section>
  );
}

const countOf = (offers: readonly ToolOffer[], status: ToolOffer['status']) =>
  offers.filter((offer) => offer.status === status).length;

function useImportMutation(found: ToolImport, chosen: ReadonlySet<string>, kept: ReadonlySet<string>) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const { id } = found.tool;
  return useMutation({
    mutationFn: () => client.tools.importMcp(id, toRequest(found, chosen, kept)),
    onSuccess: async ({ tool }) => {
      queryClient.setQueryData(keys.tool(id), tool);
      void queryClient.invalidateQueries({ queryKey: keys.tools, exact: true });
      void message.success(t('toolPages.saved', { name: tool.name }));
      await navigate(paths.tool(id));
    },
  });
}
