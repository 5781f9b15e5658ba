import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { SortedPageDto } from '../../infra/requests/page.dto.ts';
import { ChangeToolMethodsDto } from './method-changes.dto.ts';
import { McpImportService } from './mcp-import.service.ts';
import { ImportToolDto, ToolImportDto } from './tool-import.dto.ts';
import { ToolDirectoryService } from './tool-directory.service.ts';
import { ToolTestsService } from './tool-tests.service.ts';
import { ToolMethodsService } from './tool-methods.service.ts';
import {
  AddToolMethodsDto,
  CreateToolDto,
  InvokeToolDto,
  SavedToolDto,
  SaveToolQueryDto,
  ToolDto,
  ToolInvocationDto,
  ToolMethodDto,
  ToolPageDto,
  UpdateToolDto,
  UpdateToolMethodDto,
} from './tools.dto.ts';
import { ToolsService } from './tools.service.ts';

@Controller('tools')
export class ToolsController {
  constructor(
    private readonly tools: ToolsService,
    private readonly methods: ToolMethodsService,
    private readonly directory: ToolDirectoryService,
    private readonly imports: McpImportService,
    private readonly tests: ToolTestsService,
  ) {}

  /**
   * Lists the tools of the space without their methods, newest first unless `sort` says otherwise. The tools of the platform are
   * last.
   */
  @Get()
  @Access('member', 'use', 'manage')
  list(@Caller() { spaceId }: UserPrincipal, @Query() query: SortedPageDto): Promise<ToolPageDto> {
    return this.tools.list(spaceId, query);
  }

  /** Creates a tool: an HTTP API with its methods, or an MCP server. */
  @Post()
  @Access('admin', 'manage')
  @BodyLimit('large')
  async create(
    @Audited() call: AuditedCall,
    @Query() query: SaveToolQueryDto,
    @Body() body: CreateToolDto,
  ): Promise<SavedToolDto> {
    return this.tests.withTest(call, await this.tools.create(call, body), query.test === 'true');
  }

  /** Returns a tool with its methods. */
  @Get(':id')
  @Access('member', 'use', 'manage')
  get(@Caller() { spaceId }: UserPrincipal, @Param('id') id: string): Promise<ToolDto> {
    return this.tools.get(spaceId, id);
  }

  /** Changes the given fields. A serverUrl with another origin requires the secret of auth again. */
  @Patch(':id')
  @Access('admin', 'manage')
  async update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Query() query: SaveToolQueryDto,
    @Body() body: UpdateToolDto,
  ): Promise<SavedToolDto> {
    return this.tests.withTest(call, await this.tools.update(call, id, body), query.test === 'true');
  }

  /** Deletes a tool with its methods and its secret. Agents and steps that use it report that it is missing. */
  @Delete(':id')
  @Access('admin', 'manage')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.tools.delete(call, id);
  }

  /** Adds methods: all of them or none. Returns the tool with all its methods. */
  @Post(':id/methods')
  @Access('admin', 'manage')
  @BodyLimit('large')
  addMethods(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() { methods }: AddToolMethodsDto,
  ): Promise<ToolDto> {
    return this.methods.add(call, id, methods);
  }

  /**
   * Asks an MCP server which tools it offers, and imports the chosen ones: all of them or none. Without `methods` and `remove`, only
   * compares. A method that the server has changed is not used until it is imported again.
   */
  @Post(':id/import')
  @Access('admin', 'manage')
  @BodyLimit('values')
  @HttpCode(200)
  importMethods(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: ImportToolDto,
  ): Promise<ToolImportDto> {
    return this.imports.run(call, id, body);
  }

  /**
   * Adds, changes, and removes methods: all of it or nothing. Returns 409 if the tool has changed since `updatedAt`. Names of
   * methods stay, because agents and steps use them.
   */
  @Patch(':id/methods')
  @Access('admin', 'manage')
  @BodyLimit('large')
  changeMethods(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: ChangeToolMethodsDto,
  ): Promise<ToolDto> {
    return this.methods.change(call, id, body);
  }

  /** Changes the given fields of a method. */
  @Patch(':id/methods/:name')
  @Access('admin', 'manage')
  @BodyLimit('large')
  @ApiBody({ type: UpdateToolMethodDto })
  updateMethod(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Param('name') name: string,
    @Body() body: object,
  ): Promise<ToolMethodDto> {
    return this.methods.update(call, id, name, body);
  }

  /** Deletes a method of the tool. */
  @Delete(':id/methods/:name')
  @Access('admin', 'manage')
  @HttpCode(204)
  deleteMethod(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Param('name') name: string,
  ): Promise<void> {
    return this.methods.delete(call, id, name);
  }

  /**
   * Calls a method. If calls of it need an approval, the caller must be one who can approve them. Every HTTP response is a
   * result, whatever its status. Returns 502 if there is no complete response: the address is blocked, refused, too slow, or
   * sends too much.
   */
  @Post(':id/methods/:name/invoke')
  @Access('member', 'use')
  @BodyLimit('values')
  @HttpCode(200)
  invoke(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Param('name') name: string,
    @Body() { input }: InvokeToolDto,
  ): Promise<ToolInvocationDto> {
    const { by } = call;
    const options = { ownRole: by.role, direct: { call, door: 'api' as const } };
    return this.directory.invoke(by, id, name, input ?? {}, options);
  }
}
