// The part of the schema about states, transitions and timers.

extension FlowSchema {
    static let states = #"""
            "state": {
              "description": "A state.",
              "type": "object",
              "properties": {
                "id": {
                  "type": "string",
                  "description": "A name for '#id' as a target, wherever the state stands."
                },
                "description": {"type": "string", "description": "For people who read the file."},
                "tags": {
                  "description": "Words that a user interface finds the state by.",
                  "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": {"type": "string"}}
                  ]
                },
                "meta": {
                  "description": "Any JSON for whoever reads the flow; gamed does not look into it."
                },
                "view": {
                  "$ref": "#/$defs/view",
                  "description": "What a user interface shows while the state is active."
                },
                "type": {
                  "description": "Left out for a state with states (compound) and for one without (atomic).",
                  "enum": ["atomic", "compound", "parallel", "final", "history"]
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
                "entry": {
                  "$ref": "#/$defs/actions",
                  "description": "What happens when the state is entered."
                },
                "exit": {
                  "$ref": "#/$defs/actions",
                  "description": "What happens when the state is left."
                },
                "onDone": {
                  "$ref": "#/$defs/transitions",
                  "description": "Taken when a final state inside is reached, in each region of a parallel state."
                },
                "postpone": {
                  "description": "Events that wait here for a state that takes them.",
                  "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": {"type": "string"}, "minItems": 1}
                  ]
                },
                "back": {
                  "description": "A state: where \"$back\" leads where nothing is remembered. null: nothing leads back from here.",
                  "type": ["string", "null"]
                },
                "invoke": {
                  "description": "Other flows that run as child sessions while the state is active.",
                  "anyOf": [
                    {"$ref": "#/$defs/invocation"},
                    {"type": "array", "items": {"$ref": "#/$defs/invocation"}}
                  ]
                },
                "history": {
                  "description": "Whether a history state remembers the states directly beside it, or all below them too.",
                  "enum": ["shallow", "deep"]
                },
                "target": {
                  "$ref": "#/$defs/target",
                  "description": "Where a history state leads that has nothing to remember."
                },
                "actions": {
                  "$ref": "#/$defs/actions",
                  "description": "What happens when a history state leads there."
                },
                "output": {
                  "$ref": "#/$defs/value",
                  "description": "What a final state hands to its parent's done event."
                }
              },
              "additionalProperties": false
            },
            "states": {
              "type": "object",
              "additionalProperties": {"$ref": "#/$defs/state"},
              "propertyNames": {"pattern": "^[^\\s.,#/*]+$"},
              "minProperties": 1
            },
            "initial": {
              "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
                {"$ref": "#/$defs/initialTransition"}
              ]
            },
            "initialTransition": {
              "description": "Where a state begins, and what happens on the way.",
              "type": "object",
              "properties": {
                "target": {
                  "$ref": "#/$defs/target",
                  "description": "A state inside, or several in different regions."
                },
                "actions": {
                  "$ref": "#/$defs/actions",
                  "description": "What happens on the way."
                }
              },
              "additionalProperties": false,
              "required": ["target"]
            },
            "target": {
              "description": "A state beside this one, '.child', '#id', or a path from the top: 'question.open'; '$back' leads to the states before. Several are in different regions of a parallel state.",
              "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
            },
            "on": {"type": "object", "additionalProperties": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/transitions"}]}},
            "transitions": {
              "description": "A target, a transition, actions, or several transitions of which the first is taken whose guard allows.",
              "anyOf": [
                {"type": "string"},
                {"$ref": "#/$defs/transition"},
                {"$ref": "#/$defs/action"},
                {
                  "type": "array",
                  "minItems": 1,
                  "items": {
                    "anyOf": [
                      {"type": "string"},
                      {"$ref": "#/$defs/transition"},
                      {"$ref": "#/$defs/action"}
                    ]
                  }
                }
              ]
            },
            "transition": {
              "description": "A transition.",
              "type": "object",
              "properties": {
                "target": {
                  "$ref": "#/$defs/target",
                  "description": "Where it leads. Left out, nothing is left: only the actions run."
                },
                "guard": {
                  "type": "string",
                  "description": "A Lua expression; the transition is taken only if it is true."
                },
                "actions": {
                  "$ref": "#/$defs/actions",
                  "description": "What happens on the way."
                },
                "reenter": {
                  "type": "boolean",
                  "description": "Whether a target that is active already is entered anew, its timers with it.",
                  "default": true
                },
                "description": {
                  "type": "string",
                  "description": "For people who read the file."
                }
              },
              "additionalProperties": false
            },
            "after": {
              "description": "Lengths such as '30s', '1m30s' or '250ms', and what follows.",
              "type": "object",
              "propertyNames": {"pattern": "^-?([0-9.]+(ms|us|ns|s|m|h|d))+$|^-?[0-9.]+$"},
              "additionalProperties": {
                "anyOf": [
                  {"type": "string"},
                  {"$ref": "#/$defs/timer"},
                  {
                    "type": "array",
                    "items": {
                      "anyOf": [
                        {"type": "string"},
                        {"$ref": "#/$defs/timer"}
                      ]
                    }
                  }
                ]
              }
            },
            "every": {
              "description": "Periods such as '1s', and what happens each time.",
              "type": "object",
              "propertyNames": {"pattern": "^-?([0-9.]+(ms|us|ns|s|m|h|d))+$|^-?[0-9.]+$"},
              "additionalProperties": {
                "anyOf": [
                  {"type": "string"},
                  {"$ref": "#/$defs/timer"},
                  {
                    "type": "array",
                    "items": {
                      "anyOf": [
                        {"type": "string"},
                        {"$ref": "#/$defs/timer"}
                      ]
                    }
                  }
                ]
              }
            },

        """#
}

// MARK: - The notation of flow files as JSON Schema (2020-12): what editors complete and check with. docs/flow.schema.json is the same text.

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
            "postpone": {
              "description": "Events that wait here for a state that takes them.",
              "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
            },
            "back": {
              "description": "A state: where \"$back\" leads where nothing is remembered. null: nothing leads back from here.",
              "type": ["string", "null"]
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
