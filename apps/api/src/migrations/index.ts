import { Foundation1763600000001 } from './0001-foundation.ts';
import { Auth1763600000002 } from './0002-auth.ts';
import { ModelsAndAgents1763600000003 } from './0003-models-and-agents.ts';
import { Streams1763600000004 } from './0004-streams.ts';
import { Turns1763600000005 } from './0005-turns.ts';
import { Usage1763600000006 } from './0006-usage.ts';
import { Interactions1763600000007 } from './0007-interactions.ts';
import { Jobs1763600000008 } from './0008-jobs.ts';
import { Context1763600000009 } from './0009-context.ts';
import { InstallationAdminsAndInvitations1763600000010 } from './0010-auth.ts';
import { UsageTotals1763600000011 } from './0011-usage-totals.ts';
import { StreamReaders1763600000012 } from './0012-streams.ts';
import { TurnBounds1763600000013 } from './0013-turns.ts';
import { JobQueue1763600000014 } from './0014-jobs.ts';
import { RateWindows1763600000015 } from './0015-rate-windows.ts';
import { ModelLoopback1763600000016 } from './0016-model-loopback.ts';
import { AccountKey1763600000017 } from './0017-account-key.ts';
import { Names1763600000018 } from './0018-names.ts';
import { TurnColumns1763600000019 } from './0019-turn-columns.ts';
import { Applications1763600000020 } from './0020-applications.ts';
import { Partitions1763600000021 } from './0021-partitions.ts';
import { Tasks1763600000022 } from './0022-tasks.ts';
import { Events1763600000023 } from './0023-events.ts';
import { Tools1763600000024 } from './0024-tools.ts';
import { Knowledge1763600000025 } from './0025-knowledge.ts';
import { Traces1763600000029 } from './0029-traces.ts';
import { ModelOfEnvironment1763600000030 } from './0030-model-of-environment.ts';
import { RunSlots1763600000031 } from './0031-run-slots.ts';
import { TurnObservers1763600000032 } from './0032-turn-observers.ts';
import { RunLanes1763600000040 } from './0040-run-lanes.ts';
import { OutboxSpaces1763600000041 } from './0041-outbox-spaces.ts';
import { RunHandovers1763600000042 } from './0042-run-handovers.ts';
import { AuditOfRuns1763600000043 } from './0043-audit-of-runs.ts';
import { TaskSwitches1763600000044 } from './0044-task-switches.ts';
import { PayloadsOfRuns1763600000045 } from './0045-payloads-of-runs.ts';
import { ErasedPayloads1763600000046 } from './0046-erased-payloads.ts';
import { Storage1763600000047 } from './0047-storage.ts';
import { RunLists1763600000048 } from './0048-run-lists.ts';
import { DeliveryOutcomes1763600000049 } from './0049-delivery-outcomes.ts';
import { ReplayLimits1763600000051 } from './0051-replay-limits.ts';
import { AgentOwners1763600000052 } from './0052-agent-owners.ts';
import { KeyScopes1763600000054 } from './0054-key-scopes.ts';
import { ReplayChains1763600000057 } from './0057-replay-chains.ts';
import { RunEffects1763600000058 } from './0058-run-effects.ts';
import { DataValues1763600000059 } from './0059-data-values.ts';
import { DataValuesOfRows1763600000060 } from './0060-data-values-of-rows.ts';
import { KnowledgeTerms1763600000064 } from './0064-knowledge-terms.ts';
import { Meaning1763600000066 } from './0066-meaning.ts';
import { EmbeddingSources1763600000067 } from './0067-embedding-sources.ts';
import { EmissionRefusals1763600000061 } from './0061-emission-refusals.ts';
import { OutputFields1763600000062 } from './0062-output-fields.ts';
import { ToolRedirects1763600000063 } from './0063-tool-redirects.ts';
import { KnowledgeSources1763600000068 } from './0068-knowledge-sources.ts';
import { RelayResponses1763600000069 } from './0069-relay-responses.ts';
import { ServersOfResponses1763600000070 } from './0070-servers-of-responses.ts';
import { DurableRuns1763600000071 } from './0071-durable-runs.ts';
import { Inbox1763600000073 } from './0073-inbox.ts';
import { TaskVersions1763600000072 } from './0072-task-versions.ts';
import { ScheduleOverlap1763600000074 } from './0074-schedule-overlap.ts';
import { Debounce1763600000075 } from './0075-debounce.ts';
import { Sweeps1763600000055 } from './0055-sweeps.ts';
import { TwoSystemKeys1763600000056 } from './0056-two-system-keys.ts';
import { Notifications1763600000080 } from './0080-notifications.ts';
import { QuestionsOfAgents1763600000082 } from './0082-questions-of-agents.ts';
import { FactsOfPlatform1763600000083 } from './0083-facts-of-platform.ts';
import { ReportedRuns1763600000081 } from './0081-reported-runs.ts';
import { TestRuns1763600000084 } from './0084-test-runs.ts';
import { BulkRunActions1763600000077 } from './0077-bulk-run-actions.ts';
import { FailuresOfRuns1763600000078 } from './0078-failures-of-runs.ts';
import { ToolIdempotency1763600000079 } from './0079-tool-idempotency.ts';

/** Every migration in its order; listed by hand, so that a file left behind never runs. */
export const migrations = [
  Foundation1763600000001,
  Auth1763600000002,
  ModelsAndAgents1763600000003,
  Streams1763600000004,
  Turns1763600000005,
  Usage1763600000006,
  Interactions1763600000007,
  Jobs1763600000008,
  Context1763600000009,
  InstallationAdminsAndInvitations1763600000010,
  UsageTotals1763600000011,
  StreamReaders1763600000012,
  TurnBounds1763600000013,
  JobQueue1763600000014,
  RateWindows1763600000015,
  ModelLoopback1763600000016,
  AccountKey1763600000017,
  Names1763600000018,
  TurnColumns1763600000019,
  Applications1763600000020,
  Partitions1763600000021,
  Tasks1763600000022,
  Events1763600000023,
  Tools1763600000024,
  Knowledge1763600000025,
  Traces1763600000029,
  ModelOfEnvironment1763600000030,
  RunSlots1763600000031,
  TurnObservers1763600000032,
  RunLanes1763600000040,
  OutboxSpaces1763600000041,
  RunHandovers1763600000042,
  AuditOfRuns1763600000043,
  TaskSwitches1763600000044,
  PayloadsOfRuns1763600000045,
  ErasedPayloads1763600000046,
  Storage1763600000047,
  RunLists1763600000048,
  DeliveryOutcomes1763600000049,
  KeyScopes1763600000054,
  ReplayChains1763600000057,
  RunEffects1763600000058,
  DataValues1763600000059,
  DataValuesOfRows1763600000060,
  Sweeps1763600000055,
  TwoSystemKeys1763600000056,
  ReplayLimits1763600000051,
  AgentOwners1763600000052,
  EmissionRefusals1763600000061,
  OutputFields1763600000062,
  KnowledgeTerms1763600000064,
  Meaning1763600000066,
  ToolRedirects1763600000063,
  RelayResponses1763600000069,
  EmbeddingSources1763600000067,
  KnowledgeSources1763600000068,
  ServersOfResponses1763600000070,
  DurableRuns1763600000071,
  TaskVersions1763600000072,
  Inbox1763600000073,
  ScheduleOverlap1763600000074,
  BulkRunActions1763600000077,
  FailuresOfRuns1763600000078,
  ToolIdempotency1763600000079,
  Notifications1763600000080,
  TestRuns1763600000084,
  ReportedRuns1763600000081,
  Debounce1763600000075,
  QuestionsOfAgents1763600000082,
  FactsOfPlatform1763600000083,
];
