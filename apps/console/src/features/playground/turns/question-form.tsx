import type { Interaction } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Button, Checkbox, Input, Radio } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
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
  const { kind, question, options, allowOther, otherLabel, minSelected, maxSelected } = interaction;
  const [selected, setSelected] = useState<string[]>([]);
  const [other, setOther] = useState(options.length === 0);
  const [words, setWords] = useState('');
  const answer = useMutation({ mutationFn: onAnswer });

  const choice: Choice = { selectedOptionIds: selected, ...(other && { otherText: words.trim() }) };
  const multi = kind === 'multi';
  const Box = multi ? Checkbox : Radio;
  const toggle = (optionId: string, checked: boolean) => {
    if (!multi) setOther(false);
    setSelected((before) => [
      ...(multi ? before : []).filter((one) => one !== optionId),
      ...(checked ? [optionId] : []),
    ]);
  };
  const toggleOther = (checked: boolean) => {
    if (!multi) setSelected([]);
    setOther(checked);
  };

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
      {multi && options.length > 0 && (
        <p className="muted">{t('question.several', { min: minSelected, max: maxSelected })}</p>
      )}
      <div className="choices" role={multi ? 'group' : 'radiogroup'} aria-labelledby={id}>
        {options.map(({ id: optionId, label, description }) => (
          <Box
            key={optionId}
            name={id}
            checked={selected.includes(optionId)}
            onChange={(event) => toggle(optionId, event.target.checked)}
          >
            {label}
            {description !== undefined && <small className="muted">{description}</small>}
          </Box>
        ))}
        {allowOther && options.length > 0 && (
          <Box name={id} checked={other} onChange={(event) => toggleOther(event.target.checked)}>
            {otherLabel ?? t('question.other')}
          </Box>
        )}
      </div>
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
