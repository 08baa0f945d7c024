// The part of the schema about actions, invocations, views, events and values.

extension FlowSchema {
    static let others = #"""
            "timer": {
              "description": "Where a timer leads, or what it does, and what else there is to say of it.",
              "type": "object",
              "properties": {
                "name": {
                  "type": "string",
                  "description": "The timer's name, for actions and commands. The state's path where it is left out."
                },
                "label": {
                  "type": "string",
                  "description": "The timer's name for people, in views and on the page. Made of the name where it is left out.",
                  "minLength": 1
                },
                "restart": {
                  "description": "What becomes of the time during which the daemon was down.",
                  "enum": ["keep", "freeze", "restart"],
                  "default": "keep"
                },
                "delay": {
                  "$ref": "#/$defs/length",
                  "description": "The timer's length, in place of the key's."
                },
                "milestones": {
                  "description": "What happens when so much of a countdown is left: an event to raise, or actions.",
                  "type": "object",
                  "additionalProperties": {
                    "anyOf": [
                      {"type": "string"},
                      {"$ref": "#/$defs/actions"}
                    ]
                  },
                  "propertyNames": {
                    "pattern": "^-?([0-9.]+(ms|us|ns|s|m|h|d))+$|^-?[0-9.]+$"
                  }
                },
                "target": {
                  "$ref": "#/$defs/target",
                  "description": "Where it leads. Left out, nothing is left: only the actions run."
                },
                "guard": {
                  "type": "string",
                  "description": "A Lua expression; the transition is taken only if it is true."
                },
                "actions": {"$ref": "#/$defs/actions", "description": "What happens on the way."},
                "reenter": {
                  "type": "boolean",
                  "description": "Whether a target that is active already is entered anew, its timers with it.",
                  "default": true
                },
                "description": {"type": "string", "description": "For people who read the file."},
                "assign": {
                  "description": "Gives variables of the context values, one after the other.",
                  "type": "object",
                  "additionalProperties": {"$ref": "#/$defs/value"}
                },
                "raise": {
                  "description": "An event of the chart's own, at once or later.",
                  "anyOf": [{"type": "string"}, {"$ref": "#/$defs/raised"}]
                },
                "emit": {
                  "description": "An event for subscribers.",
                  "anyOf": [{"type": "string"}, {"$ref": "#/$defs/emitted"}]
                },
                "send": {"$ref": "#/$defs/sent", "description": "An event for another session."},
                "cancel": {
                  "type": "string",
                  "description": "Takes back what is raised or sent later: its id, or its event's name."
                },
                "log": {"$ref": "#/$defs/value", "description": "A line of the daemon's log."},
                "extend": {
                  "$ref": "#/$defs/extension",
                  "description": "Adds time to a timer, or takes it away."
                },
                "pause": {"type": "string", "description": "The name of a timer to stop."},
                "resume": {"type": "string", "description": "The name of a timer to go on with."},
                "if": {
                  "type": "string",
                  "description": "A Lua expression that decides between 'then' and 'else'."
                },
                "then": {
                  "$ref": "#/$defs/actions",
                  "description": "What happens if the expression of 'if' is true."
                },
                "else": {"$ref": "#/$defs/actions", "description": "What happens otherwise."}
              },
              "additionalProperties": false
            },
            "actions": {"anyOf": [{"$ref": "#/$defs/action"}, {"type": "array", "items": {"$ref": "#/$defs/action"}}]},
            "action": {
              "description": "An action: one of its keys, and 'then' and 'else' beside 'if'.",
              "type": "object",
              "properties": {
                "assign": {
                  "description": "Gives variables of the context values, one after the other.",
                  "type": "object",
                  "additionalProperties": {"$ref": "#/$defs/value"}
                },
                "raise": {
                  "description": "An event of the chart's own, at once or later.",
                  "anyOf": [{"type": "string"}, {"$ref": "#/$defs/raised"}]
                },
                "emit": {
                  "description": "An event for subscribers.",
                  "anyOf": [{"type": "string"}, {"$ref": "#/$defs/emitted"}]
                },
                "send": {"$ref": "#/$defs/sent", "description": "An event for another session."},
                "cancel": {
                  "type": "string",
                  "description": "Takes back what is raised or sent later: its id, or its event's name."
                },
                "log": {"$ref": "#/$defs/value", "description": "A line of the daemon's log."},
                "extend": {
                  "$ref": "#/$defs/extension",
                  "description": "Adds time to a timer, or takes it away."
                },
                "pause": {"type": "string", "description": "The name of a timer to stop."},
                "resume": {"type": "string", "description": "The name of a timer to go on with."},
                "if": {
                  "type": "string",
                  "description": "A Lua expression that decides between 'then' and 'else'."
                },
                "then": {
                  "$ref": "#/$defs/actions",
                  "description": "What happens if the expression of 'if' is true."
                },
                "else": {"$ref": "#/$defs/actions", "description": "What happens otherwise."}
              },
              "additionalProperties": false,
              "minProperties": 1,
              "maxProperties": 3
            },
            "raised": {
              "description": "An event of the chart's own.",
              "type": "object",
              "properties": {
                "event": {"type": "string", "description": "The event's name."},
                "data": {"$ref": "#/$defs/value", "description": "What it carries."},
                "delay": {"$ref": "#/$defs/length", "description": "How long it waits."},
                "id": {"type": "string", "description": "Its name for 'cancel'."}
              },
              "additionalProperties": false,
              "required": ["event"]
            },
            "emitted": {
              "description": "An event for subscribers.",
              "type": "object",
              "properties": {
                "event": {"type": "string", "description": "The event's name."},
                "data": {"$ref": "#/$defs/value", "description": "What it carries."}
              },
              "additionalProperties": false,
              "required": ["event"]
            },
            "sent": {
              "description": "An event for another session.",
              "type": "object",
              "properties": {
                "session": {
                  "type": "string",
                  "description": "The session's name, with {{ expressions }} in it."
                },
                "event": {"type": "string", "description": "The event's name."},
                "data": {"$ref": "#/$defs/value", "description": "What it carries."},
                "delay": {"$ref": "#/$defs/length", "description": "How long it waits."},
                "id": {"type": "string", "description": "Its name for 'cancel'."}
              },
              "additionalProperties": false,
              "required": ["session", "event"]
            },
            "extension": {
              "description": "Time for a timer.",
              "type": "object",
              "properties": {
                "timer": {"type": "string", "description": "The timer's name."},
                "by": {
                  "$ref": "#/$defs/length",
                  "description": "How much: '30s', '-10s', or an expression in milliseconds."
                }
              },
              "additionalProperties": false,
              "required": ["timer", "by"]
            },
            "invocation": {
              "description": "Another flow, which runs as the session PARENT/ID.",
              "type": "object",
              "properties": {
                "flow": {"type": "string", "description": "The flow's name."},
                "src": {"type": "string", "description": "Another word for 'flow'."},
                "id": {
                  "type": "string",
                  "description": "The child's name below this session's. The flow's where it is left out."
                },
                "context": {
                  "description": "The context that the child begins with.",
                  "type": "object",
                  "additionalProperties": {"$ref": "#/$defs/value"}
                },
                "input": {
                  "description": "Another word for 'context'.",
                  "type": "object",
                  "additionalProperties": {"$ref": "#/$defs/value"}
                },
                "onDone": {
                  "$ref": "#/$defs/transitions",
                  "description": "Taken when the child is done; its output is the event."
                },
                "onError": {
                  "$ref": "#/$defs/transitions",
                  "description": "Taken when the child cannot begin, or is lost."
                }
              },
              "additionalProperties": false
            },
            "view": {
              "description": "What a user interface shows.",
              "type": "object",
              "properties": {
                "title": {
                  "type": "string",
                  "description": "The heading, with {{ expressions }} in it."
                },
                "text": {
                  "type": "string",
                  "description": "What stands below it, with {{ expressions }} in it."
                },
                "progress": {
                  "description": "From 0 to 1, or an expression that gives it.",
                  "anyOf": [
                    {"type": "number", "minimum": 0, "maximum": 1},
                    {"type": "string"}
                  ]
                }
              },
              "additionalProperties": false
            },
            "event": {
              "description": "An event of the catalogue.",
              "type": "object",
              "properties": {
                "payload": {
                  "description": "What it carries, by name. A single value may be sent bare.",
                  "type": "object",
                  "additionalProperties": {"$ref": "#/$defs/field"}
                },
                "from": {
                  "description": "Who may send it; nobody but the chart itself for [].",
                  "anyOf": [
                    {"$ref": "#/$defs/source"},
                    {"type": "array", "items": {"$ref": "#/$defs/source"}}
                  ]
                },
                "label": {"type": "string", "description": "A button's text."},
                "description": {"type": "string", "description": "For people who read the file."}
              },
              "additionalProperties": false
            },
            "source": {"enum": ["ui", "network", "bluetooth", "orchestrator"]},
            "field": {
              "description": "A value that an event carries.",
              "type": "object",
              "properties": {
                "type": {
                  "description": "The type of its value.",
                  "enum": ["integer", "number", "string", "boolean"]
                },
                "minimum": {"type": "number", "description": "The least."},
                "maximum": {"type": "number", "description": "The greatest."},
                "enum": {
                  "type": "array",
                  "description": "The texts that are allowed.",
                  "items": {"type": "string"},
                  "minItems": 1
                },
                "minLength": {"type": "integer", "description": "The fewest characters."},
                "maxLength": {"type": "integer", "description": "The most characters."},
                "optional": {
                  "type": "boolean",
                  "description": "Whether it may be left out.",
                  "default": false
                },
                "description": {"type": "string", "description": "What is allowed, in words."}
              },
              "additionalProperties": false
            },
            "variable": {
              "description": "A variable with a type and bounds.",
              "type": "object",
              "properties": {
                "type": {
                  "description": "The type of its value.",
                  "enum": ["integer", "number", "string", "boolean", "array", "object"]
                },
                "minimum": {"type": "number", "description": "The least."},
                "maximum": {"type": "number", "description": "The greatest."},
                "enum": {
                  "type": "array",
                  "description": "The texts that are allowed.",
                  "items": {"type": "string"},
                  "minItems": 1
                },
                "minLength": {"type": "integer", "description": "The fewest characters."},
                "maxLength": {"type": "integer", "description": "The most characters."},
                "default": {"description": "The value that it begins with."},
                "description": {"type": "string", "description": "What is allowed, in words."}
              },
              "additionalProperties": false,
              "required": ["type", "default"]
            },
            "value": {
              "description": "A text is a Lua expression; anything else is itself, with expressions for the texts in it."
            },
            "length": {
              "description": "A duration such as '30s', or a Lua expression in milliseconds.",
              "anyOf": [{"type": "string"}, {"type": "number"}]
            }
          }
        }

        """#
}
