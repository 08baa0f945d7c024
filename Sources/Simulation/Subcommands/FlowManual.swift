// gamed-flow(5): what a flow file says, from the schema that editors read.

import Statecharts
import GameFlow
import Posix
import Texts

package enum FlowManual {
    /// Definitions of the schema as sections: a text that occurs twice is printed once.
    private static let sections: [(title: String, definition: String, besides: [String])] = [
        ("A state", "state", [""]),
        ("A transition", "transition", []),
        ("A timer", "timer", ["transition", "action"]),
        ("Where a state begins", "initialTransition", ["transition"]),
        ("Actions", "action", []),
        ("raise", "raised", []),
        ("emit", "emitted", []),
        ("send", "sent", []),
        ("extend", "extension", []),
        ("Another flow inside", "invocation", []),
        ("An event of the catalogue", "event", []),
        ("A value of an event", "field", []),
        ("A variable", "variable", ["field"]),
        ("A view", "view", []),
    ]

    package static var text: String {
        var page = Roff(title: "gamed-flow", section: 5, version: gamedVersion)
        page.section("Name")
        page.paragraph("gamed-flow - flow files: states, what leads from one to the next, and timers")
        addDescription(to: &page)
        // The schema is part of the program, and its tests read it.
        if let schema = try? JSON(parsing: FlowSchema.text) { add(schema, to: &page) }
        addExpressions(to: &page)
        page.section("See also")
        page.paragraph("gamed(8), gamectl(1), gamed-commands(7); docs/FLOWS.md, a guide with examples for each of these keys")
        return page.text
    }

    private static func addDescription(to page: inout Roff) {
        page.section("Description")
        page.paragraph(
            "A flow file is one object in JSON5: JSON with comments, trailing commas and keys without quotes. gamed --flows FILE|DIR hosts "
                + "it, SIGHUP and gamectl reload reload its changes, gamectl check FILE reports all its problems, with line and "
                + "column, and gamectl test FILE.scenario runs a scenario of it in virtual time. gamectl new-flow NAME writes one to start "
                + "with, and gamectl schema prints the schema that editors complete and check with.")
        page.paragraph(
            "The order of the file counts: of several possible transitions, the first is taken. An event that no key names is refused, and "
                + "changes nothing. A timer starts with its state and ends with it. Lengths are written 90s, 1m30s, 250ms, 2h or 1d."
        )
        page.section("Example")
        page.example(NewFlow(name: "lamp", folder: nil).text.split(separator: "\n").map(String.init))
    }

    private static func add(_ schema: JSON, to page: inout Roff) {
        page.section("The file")
        page.paragraph("The flow itself is a state with the others inside of it.")
        add(properties(of: schema), to: &page, schema)
        for section in sections {
            guard let definition = schema["$defs"]?[section.definition] else { continue }
            let documented = section.besides.flatMap { properties(of: $0.isEmpty ? schema : schema["$defs"]?[$0]) }.map(\.name)
            page.section(section.title)
            if let description = definition["description"]?.text, description != section.title + "." {
                page.paragraph(description)
            }
            add(properties(of: definition).filter { !documented.contains($0.name) }, to: &page, schema)
        }
    }

    private static func properties(of definition: JSON?) -> [JSON.Member] {
        definition?["properties"]?.members ?? []
    }

    private static func add(_ properties: [JSON.Member], to page: inout Roff, _ schema: JSON) {
        for property in properties {
            page.entry(property.name, description(of: property.value, schema), choices(of: property.value))
        }
    }

    /// The description at the key, or else at the definition that the key refers to.
    private static func description(of value: JSON, _ schema: JSON) -> String {
        if let text = value["description"]?.text { return text }
        let name = value["$ref"]?.text?.replacing("#/$defs/", with: "")
        return name.flatMap { schema["$defs"]?[$0]?["description"]?.text } ?? ""
    }

    private static func choices(of value: JSON) -> String {
        guard case .array(let choices)? = value["enum"] else { return "" }
        return "One of: " + choices.compactMap(\.text).joined(separator: ", ") + "."
    }

    private static func addExpressions(to page: inout Roff) {
        page.section("Expressions")
        page.paragraph(
            "Guards, and texts where a value is expected, are expressions of Lua 5.4. They see the context's variables by their names, and "
                + "besides:")
        page.entry("event", "What the event carries: event.choice. Its name is event.name, unless it carries one.")
        page.entry("source", "Its source: ui, network, bluetooth, timer or orchestrator.")
        page.entry("state(\"a.b\")", "Whether that state is active.")
        page.entry("elapsed", "The milliseconds since the expression's state was entered.")
        page.entry("remaining(\"timer\")", "The remaining milliseconds of a timer; nil if it does not run.")
        page.entry("session, parent", "The session's name, and its parent's.")
        page.entry(
            "math, string, table, utf8",
            "The functions of these libraries that reach nothing outside, and ipairs, pairs, select, tonumber, tostring, type.")
        page.paragraph(
            "Files, clock and random numbers are not available, and steps and memory are limited. An expression that fails refuses its event with "
                + "an error message, and changes nothing.")
    }
}
