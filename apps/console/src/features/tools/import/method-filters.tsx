import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../../ui/lists/filter-select.tsx';
import { SearchField } from '../../../ui/lists/search-field.tsx';

interface MethodFiltersProps<Kind extends string> {
  search: string;
  onSearch: (search: string) => void;
  /** What the methods are filtered by beside the search, and its label for "no filter". */
  label: string;
  any: string;
  kind: Kind | undefined;
  onKind: (kind: Kind | undefined) => void;
  kinds: readonly Kind[];
  toText: (kind: Kind) => string;
}

/** Filters the methods that can be imported. */
export function MethodFilters<Kind extends string>(props: MethodFiltersProps<Kind>) {
  const { search, onSearch, label, any, kind, onKind, kinds, toText } = props;
  const { t } = useTranslation();
  return (
    <>
      <SearchField
        className="method-search"
        label={t('toolPages.searchMethods')}
        value={search}
        onChange={onSearch}
      />
      {kinds.length > 1 && (
        <FilterSelect
          label={label}
          any={any}
          value={kind}
          onChange={onKind}
          options={kinds.map((value) => ({ value, label: toText(value) }))}
        />
      )}
    </>
  );
}

interface ChooseShownProps {
  /** How many of the methods that are shown can be chosen, and how many are chosen of all. */
  choosable: number;
  chosen: number;
  onChoose: () => void;
  onClear: () => void;
}

/** Chooses all methods that are shown, or none. */
export function ChooseShown({ choosable, chosen, onChoose, onClear }: ChooseShownProps) {
  const { t } = useTranslation();
  return (
    <>
      <Button disabled={choosable === 0} onClick={onChoose}>
        {t('toolImport.chooseShown', { count: choosable })}
      </Button>
      <Button disabled={chosen === 0} onClick={onClear}>
        {t('toolImport.clear')}
      </Button>
    </>
  );
}
