-- SPDX-License-Identifier: Apache-2.0
-- The health of a custom resource of Chartwright, for Argo CD. It needs none of Lua's libraries.
local status = type(obj.status) == "table" and obj.status or {}
local found = {}
if type(status.conditions) == "table" then
  for _, condition in ipairs(status.conditions) do
    if type(condition) == "table" and type(condition.type) == "string" then
      found[condition.type] = condition
    end
  end
end

local function is(name, value)
  return found[name] ~= nil and found[name].status == value
end

-- Returns a health with the message of the first of these conditions that is there.
local function health(code, ...)
  for _, name in ipairs({...}) do
    if found[name] ~= nil and type(found[name].message) == "string" then
      return {status = code, message = found[name].message}
    end
  end
  return {status = code, message = next(found) == nil and "the operator has not seen it yet" or ""}
end

-- While it is paused, the rest of the status is as it was before.
if is("Paused", "True") then
  return health("Suspended", "Paused")
end
if status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  return {status = "Progressing", message = "the operator has not seen the last change yet"}
end
if is("Reconciling", "True") then
  return health("Progressing", "Ready")
end
-- With a chart that cannot be used, Ready goes on to tell of the children.
if is("Stalled", "True") and is("Ready", "True") then
  return health("Degraded", "Irreconcilable", "ReleaseFailed", "Stalled")
end
if is("Stalled", "True") or is("Ready", "False") then
  return health("Degraded", "Ready", "Stalled")
end
if is("Ready", "True") then
  return health("Healthy", "Ready")
end
return health("Progressing", "Ready")
