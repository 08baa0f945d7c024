// The notation of flow files as JSON Schema (2020-12): what editors complete and check with. docs/flow.schema.json is the same text.

package enum FlowSchema {
    /// The schema of a file's top level, and then the definitions of everything in it.
    package static let text = flow + states + others

    private static let flow = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "A flow of gamed",
          "description": "A statechart with timers, which gamed runs: see docs/FLOWS.md.",
          "type": "object",
          "properties": {
            "$schema": {"type": "string", "description": "Where this schema is, for editors."},
            "id": {
              "type": "string",
              "description": "The flow's name: letters, digits, '-' and '_'. The file's name where it is left out.",
              "pattern": "^[A-Za-z0-9_-]+$"
            },
            "description": {"type": "string", "description": "For people who read the file."},
            "context": {
              "description": "The variables of a session, with their first values, or their types and bounds.",
              "type": "object",
              "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
              "additionalProperties": {"anyOf": [{"$ref": "#/$defs/variable"}, {}]}
            },
            "events": {
              "description": "The catalogue: the events that may be sent. Without it, those that the file names.",
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/event"}
            },
            "type": {
              "description": "Parallel where all of the flow's states are active together.",
              "enum": ["compound", "parallel"]
            },
            "initial": {
              "$ref": "#/$defs/initial",
              "description": "The state inside that is entered first; the first one in the file where it is left out."
            },
            "states": {"$ref": "#/$defs/states", "description": "The states inside, by name."},
            "on": {"$ref": "#/$defs/on", "description": "Where events lead."},
            "always": {
              "$ref": "#/$defs/transitions",
              "description": "Taken without an event, as soon as the guard allows."
            },
            "after": {
              "$ref": "#/$defs/after",
              "description": "Countdowns, by their length: they begin with the state and end with it."
            },
            "every": {
              "$ref": "#/$defs/every",
              "description": "Pendulums, by their period: they fire again and again while the state is active."
            },
            "entry": {"$ref": "#/$defs/actions", "description": "What happens when the state is entered."},
            "exit": {"$ref": "#/$defs/actions", "description": "What happens when the state is left."},
            "onDone": {
              "$ref": "#/$defs/transitions",
              "description": "Taken when a final state inside is reached, in each region of a parallel state."
            },
            "invoke": {
              "description": "Other flows that run as child sessions while the state is active.",
              "anyOf": [
                {"$ref": "#/$defs/invocation"},
                {"type": "array", "items": {"$ref": "#/$defs/invocation"}}
              ]
            },
            "tags": {
              "description": "Words that a user interface finds the state by.",
              "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
            },
            "meta": {"description": "Any JSON for whoever reads the flow; gamed does not look into it."},
            "view": {"$ref": "#/$defs/view", "description": "What a user interface shows while the state is active."}
          },
          "additionalProperties": false,
          "required": ["states"],
          "$defs": {

        """#
}
