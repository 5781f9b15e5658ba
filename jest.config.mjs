import api from './apps/api/jest.config.mjs';
import console from './apps/console/jest.config.mjs';
import client from './libs/client/jest.config.mjs';
import contracts from './libs/contracts/jest.config.mjs';
import openapiImport from './libs/openapi-import/jest.config.mjs';
import speech from './libs/speech/jest.config.mjs';

/** Every suite, for editors and for `npm test -- PATTERN`; `npm test` and Nx run the projects one by one. */
export default {
  ...api,
  projects: [contracts, client, openapiImport, speech, api, console].flatMap(({ projects }) => projects),
};
