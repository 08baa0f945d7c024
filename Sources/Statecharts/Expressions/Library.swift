// The names that expressions may use besides the context's: of Lua's libraries those that the sandbox has.

import CLua

/// A function of the sandbox, or a table of functions.
struct Library {
    let name: String
    let members: [String]

    /// In the order of their bits.
    static let all: [Library] = {
        var libraries: [Library] = []
        while let name = gl_library_name(Int32(libraries.count)) {
            libraries.append(Library(name: String(cString: name), members: members(of: Int32(libraries.count))))
        }
        return libraries
    }()

    private static func members(of library: Int32) -> [String] {
        var members: [String] = []
        while let name = gl_member_name(library, Int32(members.count)) { members.append(String(cString: name)) }
        return members
    }
}

/// Names that mean something in every expression.
package enum ExpressionNames {
    /// The names of the session's and the event's values.
    package static let ofSession = ["event", "source", "elapsed", "remaining", "state", "session", "parent"]
    package static let ofLibraries = Library.all.map(\.name)

    /// Why a variable cannot have the name; nil if it can.
    package static func refusal(ofVariable name: String) -> String? {
        guard let token = Lexer.tokens(of: name).first, token.range == 0..<name.utf8.count else { return notAName }
        switch token.kind {
        case .keyword: return "is a word of Lua's"
        case .name:
            let isTaken = ofSession.contains(name) || ofLibraries.contains(name) || absent[name] != nil
            return isTaken ? "means something else in expressions" : nil
        case .number, .text, .textWithZero, .symbol: return notAName
        }
    }

    private static let notAName = "is no name: a variable's has letters, digits and '_', and begins with no digit"

    /// Names that Lua has elsewhere and expressions lack, and the reason.
    static let absent: [String: String] = [
        "_ENV": "expressions have no global variables", "_G": "expressions have no global variables",
        "assert": "an expression that fails refuses its event already",
        "error": "an expression that fails refuses its event already",
        "pcall": noCatching, "xpcall": noCatching, "collectgarbage": noReach, "coroutine": "an expression is evaluated at once",
        "debug": noReach, "dofile": noLoading, "load": noLoading, "loadfile": noLoading, "loadstring": noLoading,
        "require": noLoading, "package": noLoading, "getmetatable": noReach, "setmetatable": noReach, "io": noReach,
        "os": noReach,
        "next": "its order differs from run to run; pairs has one", "print": "the action log writes a line",
        "rawequal": noReach, "rawget": noReach, "rawlen": noReach, "rawset": noReach, "warn": noReach,
        "unpack": "it is table.unpack",
    ]

    /// The same of members.
    static let absentMembers: [String: String] = [
        "math.random": noChance, "math.randomseed": noChance, "string.find": noPatterns, "string.match": noPatterns,
        "string.gmatch": noPatterns, "string.gsub": noPatterns, "string.dump": noReach, "string.pack": noReach,
        "string.unpack": noReach, "string.packsize": noReach, "table.move": noReach, "utf8.codes": "it is utf8.codepoint",
        "utf8.charpattern": noPatterns, "math.exp": noRounding, "math.log": noRounding, "math.sin": noRounding,
        "math.cos": noRounding, "math.tan": noRounding, "math.asin": noRounding, "math.acos": noRounding,
        "math.atan": noRounding, "math.pow": "it is the operator ^",
    ]

    private static let noReach = "expressions only compute"
    private static let noLoading = "expressions load no code"
    private static let noCatching = "an error in an expression refuses its event"
    private static let noChance = "expressions have no chance: the same events lead to the same states"
    private static let noPatterns = "expressions have no patterns, whose run time has no bound"
    private static let noRounding = "its last digits differ from machine to machine"
}
