// The catalogue of events, and the events that the rest of the file names.

import GameFlow
import Texts

struct EventTable {
    /// Whether the file has a catalogue; otherwise the events are those that it names.
    var hasCatalogue = false
    /// Whether the file has more events than a flow can have, which is an error.
    var hasTooMany = false
    var entries: [ChartEventEntry] = []
    var numbers: [String: Int] = [:]
    /// The offset of each entry of the catalogue.
    var offsets: [Int] = []
    /// The events named by `on`, `postpone` and `raise`, and their offsets.
    var mentions: [(descriptor: EventDescriptor, offset: Int)] = []
}

extension ChartReader {
    func readCatalogue(_ value: LocatedJSON) {
        events.hasCatalogue = true
        for member in problems.members(value, "'events'") {
            guard mayAddEvent(at: member.offset) else { return }
            if let complaint = complaint(aboutEntry: member.name) { problems.error(member.offset, complaint) }
            var entry = ChartEventEntry(name: member.name)
            for (key, member) in problems.fields(member.value, EventKey.self).list {
                switch key {
                case .payload: entry.payload = payload(member.value, of: entry.name)
                case .from: entry.sources = sources(member.value)
                case .label: entry.label = label(member.value, "a 'label'")
                case .description: _ = problems.text(member.value, "a 'description'")
                }
            }
            events.numbers[member.name] = events.entries.count
            events.entries.append(entry)
            events.offsets.append(member.offset)
        }
    }

    /// A name for people.
    func label(_ value: LocatedJSON, _ subject: String) -> String? {
        let text = problems.text(value, subject)
        if text?.contains("{{") == true {
            problems.warning(value.offset, "a label is shown as it is written; only texts of a 'view' have values in {{ }}")
        }
        return text
    }

    private func mayAddEvent(at offset: Int) -> Bool {
        events.hasTooMany = !problems.hasRoom(events.entries.count, atMost: ChartBounds.events, "events", at: offset)
        return !events.hasTooMany
    }

    private func complaint(aboutEntry name: String) -> String? {
        if let complaint = NameRules.complaint(aboutEvent: name) { return complaint }
        guard Platform.contains(name) else { return nil }
        return "\(name.quoted) is an event of the platform; no source may send it, and it needs no entry"
    }

    // MARK: An event's payload

    /// One field is the value itself, several are an object's members.
    private func payload(_ value: LocatedJSON, of event: String) -> PayloadKind? {
        let (members, most) = (problems.members(value, "'payload'"), ChartBounds.fields)
        if members.count > most {
            problems.error(members[most].offset, "a payload has at most \(most) fields; this one is beyond that")
        }
        let fields = members.prefix(most).compactMap { member -> PayloadKind? in
            if let complaint = NameRules.complaint(about: member.name, of: "a field") {
                problems.error(member.offset, complaint)
            }
            return field(member)
        }
        return fields.count > 1 ? .object(event, fields) : fields.first
    }

    private func field(_ member: LocatedJSON.Member) -> PayloadKind? {
        if let type = member.value.text {
            problems.error(
                member.value.offset, "a field is declared so: \(Self.declaration(of: member.name, type: type))")
            return nil
        }
        let fields = problems.fields(member.value, ValueKey.self)
        guard member.value.members != nil else { return nil }
        for (key, member) in fields.list where key == .standard {
            problems.error(
                member.offset, "a payload has no '\(key.rawValue)'; write optional: true for a field that may be omitted")
        }
        guard let kind = valueKind(member.name, fields) else {
            if let type = fields.value(.type)?.text, type == "object" || type == "array" {
                problems.error(
                    member.offset, "a field is an integer, a number, a string or a boolean; leave \(member.name.quoted) out")
            }
            return nil
        }
        let isOptional = fields.value(.optional).flatMap { problems.boolean($0, "'optional'") } ?? false
        return isOptional ? kind.optional : kind
    }

    private func sources(_ value: LocatedJSON) -> EventSources {
        problems.texts(value, "'from'").reduce(into: []) { sources, value in
            let name = value.text ?? ""
            if let source = EventSource.ofFiles.first(where: { $0.name == name }) {
                sources.insert(EventSources(source))
            } else if name == EventSource.timer.name {
                problems.error(value.offset, "timers lead on by 'after' and 'every', and send no events of the catalogue")
            } else {
                problems.error(
                    value.offset, "there is no source \(name.quoted); \(EventSource.ofFiles.map(\.name).nearest(to: name))")
            }
        }
    }

    // MARK: Event descriptors

    /// `name`, `prefix.*` or `*`.
    func descriptor(_ member: LocatedJSON.Member) -> EventDescriptor? {
        let name = member.name
        if name == "*" { return .any }
        let isPrefix = name.hasSuffix(".*")
        let words = isPrefix ? String(name.dropLast(2)) : name
        if let complaint = descriptorComplaint(words, whole: name) {
            problems.error(member.offset, complaint)
            return nil
        }
        return isPrefix ? .prefix(words) : .exact(words)
    }

    private func descriptorComplaint(_ words: String, whole: String) -> String? {
        if words.contains("*") { return "'*' matches the last words of a name: \"error.*\", or alone" }
        if words.contains(where: \.isWhitespace), !words.contains(where: \.isNewline) {
            return "\(whole.quoted) has blanks; write one key for each event"
        }
        if whole.hasSuffix("."), whole.count > 1 { return "write \((whole + "*").quoted) for all events whose names begin so" }
        return NameRules.complaint(aboutEvent: words)
    }

    /// Checks the mentioned events against the catalogue, or makes a catalogue of them.
    func checkEventMentions() {
        // Exact names come first: without a catalogue, the other descriptors can only mean those.
        for case (.exact(let name), let offset) in events.mentions {
            Platform.contains(name) ? checkPlatform(name, offset) : checkMention(name, offset)
        }
        for (descriptor, offset) in events.mentions {
            switch descriptor {
            case .exact: break
            case .prefix(let prefix): checkPrefix(prefix, offset)
            case .any: checkAny(offset)
            }
        }
    }

    private func checkMention(_ name: String, _ offset: Int) {
        guard events.numbers[name] == nil, !events.hasTooMany else { return }
        guard !events.hasCatalogue else {
            problems.error(
                offset, "there is no event \(name.quoted) in 'events'; \(events.entries.map(\.name).nearest(to: name))")
            return
        }
        guard mayAddEvent(at: offset) else { return }
        events.numbers[name] = events.entries.count
        events.entries.append(ChartEventEntry(name: name, carriesAnything: true))
    }

    private func checkPrefix(_ prefix: String, _ offset: Int) {
        guard !Platform.begin(with: prefix), !events.hasTooMany else { return }
        let descriptor = EventDescriptor.prefix(prefix)
        guard !events.entries.contains(where: { descriptor.matches($0.name) }) else { return }
        problems.error(
            offset,
            events.hasCatalogue
                ? "no event in 'events' begins with \(prefix.quoted); \(events.entries.map(\.name).nearest(to: prefix))"
                : "no event begins with \(prefix.quoted): without a catalogue the events are those that 'on' and 'raise' name; list them in 'events'"
        )
    }

    /// Without a catalogue, events can still come by themselves: an end of a state or a child, or a message that fails.
    private func checkAny(_ offset: Int) {
        guard !events.hasCatalogue, events.entries.isEmpty, invocations.all.isEmpty, !delayed.hasSent,
            !tree.states.contains(where: { $0.kind == .final })
        else { return }
        problems.error(
            offset, "'*' matches the events that a flow names, and this one names none; list them in 'events'")
    }

    private func checkPlatform(_ name: String, _ offset: Int) {
        if let path = name.rest(after: Platform.doneState), tree.numbers[path] == nil, path != self.name {
            problems.error(offset, "there is no state \(path.quoted) that could be done; \(tree.paths.nearest(to: path))")
        }
        let id = name.rest(after: Platform.doneChild) ?? name.rest(after: Platform.failedChild)
        if let id, invocations.numbers[id] == nil {
            problems.error(offset, "nothing is invoked as \(id.quoted); \(invocations.all.map(\.id).nearest(to: id))")
        }
    }
}

extension String {
    fileprivate func rest(after beginning: String) -> String? {
        hasPrefix(beginning) ? String(dropFirst(beginning.count)) : nil
    }
}

extension EventSource {
    /// The sources that may send an event of the catalogue.
    fileprivate static let ofFiles: [EventSource] = [.ui, .network, .bluetooth, .orchestrator]
}
