import type { Interaction } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button, Checkbox, Input, Radio } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUnsavedInput } from '../../../ui/browser/unsaved-input.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { isAnswer, type Choice } from './question.ts';

interface QuestionFormProps {
  interaction: Interaction;
  onAnswer: (choice: Choice) => Promise<void>;
}

/** A question of the agent with its options. The turn continues with the answer. */
export function QuestionForm({ interaction, onAnswer }: QuestionFormProps) {
  const { t } = useTranslation();
  const id = useId();
  const { kind, question, options, otherLabel, minSelected, maxSelected } = interaction;
  const [selected, setSelected] = useState<string[]>([]);
  const [other, setOther] = useState(options.length === 0);
  const [words, setWords] = useState('');
  const answer = useMutation({ mutationFn: onAnswer });
  useUnsavedInput('?session', () => other && words.trim() !== '' && !answer.isSuccess);

  const choice: Choice = { selectedOptionIds: selected, ...(other && { otherText: words.trim() }) };

  return (
    <form
      className="question"
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        if (isAnswer(interaction, choice)) answer.mutate(choice);
      }}
    >
      <h2 id={id}>{question}</h2>
      {kind === 'multi' && options.length > 0 && (
        <p className="muted">{t('question.several', { min: minSelected, max: maxSelected })}</p>
      )}
      <Choices
        labelledBy={id}
        interaction={interaction}
        selected={selected}
        other={other}
        onChange={(nextSelected, nextOther) => {
          setSelected(nextSelected);
          setOther(nextOther);
        }}
      />
      {other && (
        <Input
          autoFocus={options.length > 0}
          value={words}
          maxLength={4_000}
          onChange={(event) => setWords(event.target.value)}
          placeholder={t('question.otherPlaceholder')}
          aria-label={otherLabel ?? t('question.other')}
        />
      )}
      {answer.isError && (
        <p role="alert" className="danger-text">
          {getErrorMessage(answer.error, t)}
        </p>
      )}
      <div className="row">
        <Button
          type="primary"
          htmlType="submit"
          loading={answer.isPending}
          disabled={!isAnswer(interaction, choice)}
        >
          {t('question.answer')}
        </Button>
        <span className="muted">{t('question.orWrite')}</span>
      </div>
    </form>
  );
}

interface ChoicesProps {
  labelledBy: string;
  interaction: Interaction;
  selected: string[];
  /** Whether the answer in the user's own words is chosen. */
  other: boolean;
  onChange: (selected: string[], other: boolean) => void;
}

/** The options: several, or one of them. */
function Choices({ labelledBy, interaction, selected, other, onChange }: ChoicesProps) {
  const { t } = useTranslation();
  const { options, allowOther, otherLabel } = interaction;
  const multi = interaction.kind === 'multi';
  const Box = multi ? Checkbox : Radio;
  const toggle = (optionId: string, checked: boolean) => {
    const others = multi ? selected.filter((one) => one !== optionId) : [];
    onChange(checked ? [...others, optionId] : others, multi && other);
  };
  return (
    <div className="choices" role={multi ? 'group' : 'radiogroup'} aria-labelledby={labelledBy}>
      {options.map(({ id: optionId, label, description }) => (
        <Box
          key={optionId}
          name={labelledBy}
          checked={selected.includes(optionId)}
          onChange={(event) => toggle(optionId, event.target.checked)}
        >
          {label}
          {description !== undefined && <small className="muted">{description}</small>}
        </Box>
      ))}
      {allowOther && options.length > 0 && (
        <Box
          name={labelledBy}
          checked={other}
          onChange={(event) => onChange(multi ? selected : [], event.target.checked)}
        >
          {otherLabel ?? t('question.other')}
        </Box>
      )}
    </div>
  );
}
