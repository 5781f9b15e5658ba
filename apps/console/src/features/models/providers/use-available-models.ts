import type {
  AvailableModels,
  CreateModelRequest,
  ListAvailableModelsRequest,
  Model,
} from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Form, type FormInstance } from 'antd';
import { client } from '../../../api.ts';
import { useFormErrors } from '../../../ui/forms/use-form-errors.ts';

export interface ListedModels {
  /** Empty until the server has listed them. */
  names: readonly string[];
  /** What came of the last request, if the form still has the server that was asked. */
  result: AvailableModels | null;
  isPending: boolean;
  list: () => void;
}

const NONE: readonly string[] = [];

/** Asks the server that the form describes which models it has. */
export function useAvailableModels(
  form: FormInstance<CreateModelRequest>,
  model: Model | null,
): ListedModels {
  const baseUrl = Form.useWatch('baseUrl', form);
  const apiKey = Form.useWatch('apiKey', form);
  const showErrors = useFormErrors(form, ['baseUrl', 'apiKey']);
  const request = requestFor(model, { baseUrl, apiKey });
  const asked = useMutation({
    mutationFn: (about: ListAvailableModelsRequest) => client.models.listAvailable(about),
    onError: showErrors,
  });
  const isCurrent = JSON.stringify(asked.variables) === JSON.stringify(request);
  const result = (isCurrent && asked.data) || null;
  return {
    names: result?.names ?? NONE,
    result,
    isPending: asked.isPending,
    list: () =>
      void form.validateFields(['baseUrl']).then(
        () => asked.mutate(request),
        () => undefined,
      ),
  };
}

/** The stored key stays with the service, which sends it to the stored address alone. */
function requestFor(
  model: Model | null,
  { baseUrl, apiKey }: Pick<CreateModelRequest, 'baseUrl' | 'apiKey'>,
): ListAvailableModelsRequest {
  const server =
    model !== null && model.baseUrl === baseUrl ? { modelId: model.id } : { ...(baseUrl && { baseUrl }) };
  return { ...server, ...(apiKey && { apiKey }) };
}
