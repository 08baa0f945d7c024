// Compiles the expressions of a chart, and evaluates them.

import CLua
import GameFlow
import Texts

/// One state of Lua with the compiled expressions of one chart. Of one thread.
package final class ExpressionEngine {
    private struct Entry {
        var function: Int32
        var parameters: Range<Int>
        var counting: gl_counting
        /// The same without Lua, for one that is simple enough.
        var simple: SimpleExpression?
    }

    private let lua: LuaState
    private let entries: [Entry]
    /// The parameters of all expressions in one array, so that reading them touches no reference count.
    private let parameters: [ExpressionParameter]
    private let texts: [String]
    private let sources: [ExpressionSource]
    private let names: [[ShownName]]
    /// The fields of events that any of them reads; nil if one reads the whole event.
    let eventFields: [String]?

    /// Compiles all of them. `variables` are the names of the context, in its order.
    package init(_ expressions: [ExpressionSource], variables: [String]) throws(TextProblem) {
        let compiler = try Compiler(variables: variables)
        var (entries, parameters, texts): ([Entry], [ExpressionParameter], [String]) = ([], [], [])
        var names: [[ShownName]] = []
        for source in expressions {
            let (function, text) = try compiler.compile(source.text, firstText: texts.count)
            entries.append(
                Entry(
                    function: function, parameters: parameters.count..<parameters.count + text.parameters.count,
                    counting: text.counting,
                    simple: SimpleParser.parse(source.text, variables: compiler.variables)))
            parameters += text.parameters
            texts += text.texts
            names.append(text.names)
        }
        (self.entries, self.parameters, self.texts, self.names) = (entries, parameters, texts, names)
        eventFields =
            parameters.contains { $0.kind == .event }
            ? nil : Set(parameters.filter { $0.kind == .eventField }.map { texts[Int($0.number)] }).sorted()
        sources = expressions
        lua = compiler.lua
        lua.resetMemoryBaseline()
    }

    /// Whether the expression reads a value of this kind.
    func reads(_ expression: Expression, _ kind: ExpressionParameter.Kind) -> Bool {
        parameters[entries[expression.number].parameters].contains { $0.kind == kind }
    }

    /// Bytes that Lua uses.
    package var memory: Int { lua.memory }

    // MARK: Evaluating

    /// The steps of all evaluations, and of other recorded work; it only grows.
    var spent: Int { lua.spent &+ noted }

    /// Allows this many steps together from now on.
    func allow(_ steps: Int) { end = spent &+ steps }

    /// Work of others that counts.
    func charge(_ steps: Int) { noted &+= steps }

    /// The same, and throws if the event has taken too many steps by now.
    func charge(_ steps: Int, of flow: @autoclosure () -> String) throws(FlowError) {
        charge(steps)
        guard spent > end else { return }
        throw .refused(
            "one event takes more than \(ChartBounds.steps) steps in '\(flow())'; check it for cycles and long computations")
    }

    /// The steps counted for an expression without Lua.
    private static let simpleSteps = 5
    private var noted = 0
    private var end = Int.max

    package func value(of expression: Expression, in scope: borrowing Scope) throws(FlowError) -> JSON {
        if let simple = entries[expression.number].simple {
            noted &+= Self.simpleSteps
            if let value = simple.json(in: scope) { return value }
        }
        do throws(LuaFailure) {
            let result = try evaluate(expression, scope)
            return result.isContainer ? try lua.flattened() : try result.scalar()
        } catch {
            throw describe(error, expression)
        }
    }

    /// Lua's truth: nil and false are false, and all else is true.
    package func isTrue(_ expression: Expression, in scope: borrowing Scope) throws(FlowError) -> Bool {
        if let simple = entries[expression.number].simple {
            noted &+= Self.simpleSteps
            if let value = simple.evaluate(in: scope) { return value.isTrue }
        }
        do throws(LuaFailure) { return try evaluate(expression, scope).isTrue } catch { throw describe(error, expression) }
    }

    /// The expression without Lua, where it is simple enough.
    func simple(_ expression: Expression) -> SimpleExpression? { entries[expression.number].simple }

    private func evaluate(_ expression: Expression, _ scope: borrowing Scope) throws(LuaFailure) -> gl_value {
        let entry = entries[expression.number]
        lua.begin()
        for index in entry.parameters { lua.add(value(of: parameters[index], expression, scope)) }
        let left = end &- spent
        guard left > 0 else { throw LuaFailure(kind: .overBudget) }
        var counting = entry.counting
        counting.most = UInt32(clamping: left)
        do throws(LuaFailure) {
            return try lua.call(entry.function, arguments: Int32(entry.parameters.count), counting: counting)
        } catch {
            throw error.kind == .outOfSteps && left < GL_STEPS.rawValue ? LuaFailure(kind: .overBudget) : error
        }
    }

    private func value(of parameter: ExpressionParameter, _ expression: Expression, _ scope: borrowing Scope) -> JSON {
        switch parameter.kind {
        case .variable: scope.variables[Int(parameter.number)]
        case .event: scope.wholeEvent()
        case .eventField: scope.eventField(texts[Int(parameter.number)])
        case .source: scope.source.map { .string($0.name) } ?? .null
        case .elapsed: .integer(scope.world?.elapsed(inState: sources[expression.number].state) ?? 0)
        case .session: .string(scope.world?.sessionName ?? "")
        case .parent: scope.world?.parentName.map { .string($0) } ?? .null
        case .active: .bool(scope.world?.isActive(texts[Int(parameter.number)]) ?? false)
        case .remaining: scope.world?.remaining(texts[Int(parameter.number)]).map { .integer($0) } ?? .null
        }
    }

    /// Names the expression and the problem.
    private func describe(_ failure: LuaFailure, _ expression: Expression) -> FlowError {
        let source = sources[expression.number]
        let place = source.line > 0 ? " in line \(source.line)" : ""
        let reason = LuaMessage.sentence(of: failure, names: names[expression.number])
        return .refused("'\(source.text.printable.shortened)'\(place): \(reason)")
    }
}

extension Scope {
    /// A field of the payload; a payload that is no object is the field `value`. `name` is the event's, unless the payload has one.
    func eventField(_ name: String) -> JSON {
        switch event {
        case .object?: if let value = event?[name] { return value }
        case let value? where name == "value": return value
        case _?, nil: break
        }
        return name == "name" ? eventName.map(JSON.string) ?? .null : .null
    }

    /// Nil where there is no event.
    fileprivate func wholeEvent() -> JSON {
        var members: [JSON.Member] = eventName.map { [JSON.Member("name", .string($0))] } ?? []
        switch event {
        case nil: if members.isEmpty { return .null }
        case .object(let own)?: members += own
        case let value?: members.append(JSON.Member("value", value))
        }
        return .object(members)
    }
}

/// The values that one evaluation sees. They are borrowed: nothing of them is kept.
package struct Scope: ~Copyable {
    /// The context's values, in the order of its variables.
    package var variables: [JSON] = []
    /// The event's payload; nil for none.
    package var event: JSON?
    package var eventName: String?
    package var source: EventSource?
    /// The session that the expression belongs to; nil without one. The evaluating code holds a reference to it.
    package unowned(unsafe) var world: (any ExpressionEnvironment)?
}

/// The session, as its expressions see it. They name only states and timers that their file has, which its reader checks.
package protocol ExpressionEnvironment: AnyObject {
    /// Milliseconds since the state was entered.
    func elapsed(inState state: Int) -> Int
    func isActive(_ path: String) -> Bool
    /// How many milliseconds of the timer are left; nil if it does not run.
    func remaining(_ timer: String) -> Int?
    var sessionName: String { get }
    var parentName: String? { get }
}
