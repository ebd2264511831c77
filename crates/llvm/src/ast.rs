//! One module of LLVM IR as it was written, before linking and lowering.
//!
//! Names are slices of the text wherever possible. Types are interned per module
//! ([`Types`]), so comparing two types is comparing two numbers. Pointee types of
//! old typed pointers are dropped at once: every instruction that needs one says
//! it again.

use std::borrow::Cow;
use std::collections::HashMap;

pub(crate) type Name<'a> = Cow<'a, str>;

/// Where something stands in the module's text, in bytes.
pub(crate) type Offset = u32;

/// The number of a metadata node: `!12`.
pub(crate) type NodeId = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NamedTypeId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Void,
    Label,
    Metadata,
    Int(u32),
    Float,
    Double,
    /// A floating-point format that C programs cannot use without hardware help;
    /// the text is its LLVM name.
    ExoticFloat(&'static str),
    Pointer {
        address_space: u32,
    },
    Array {
        count: u64,
        element: TypeId,
    },
    Vector {
        count: u64,
        element: TypeId,
    },
    Struct {
        fields: Box<[TypeId]>,
        is_packed: bool,
    },
    Named(NamedTypeId),
    Function {
        result: TypeId,
    },
    /// Types that only an error message ever mentions (tokens, target types,
    /// scalable vectors).
    Other(&'static str),
}

/// All types of a module.
#[derive(Debug, Default)]
pub(crate) struct Types<'a> {
    list: Vec<Type>,
    ids: HashMap<Type, TypeId>,
    named: Vec<NamedType<'a>>,
    named_ids: HashMap<Name<'a>, NamedTypeId>,
}

#[derive(Debug)]
pub(crate) struct NamedType<'a> {
    pub name: Name<'a>,
    /// `None` for opaque (incomplete) types.
    pub body: Option<TypeId>,
}

impl<'a> Types<'a> {
    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub(crate) fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    pub(crate) fn named(&self, id: NamedTypeId) -> &NamedType<'a> {
        &self.named[id.0 as usize]
    }

    /// The named type of that name, possibly not yet (or never) defined.
    pub(crate) fn named_id(&mut self, name: Name<'a>) -> NamedTypeId {
        if let Some(id) = self.named_ids.get(&name) {
            return *id;
        }
        let id = NamedTypeId(self.named.len() as u32);
        self.named.push(NamedType {
            name: name.clone(),
            body: None,
        });
        self.named_ids.insert(name, id);
        id
    }

    pub(crate) fn define_named(&mut self, id: NamedTypeId, body: TypeId) {
        self.named[id.0 as usize].body = Some(body);
    }

    /// The type behind names; a name without definition stays a name.
    pub(crate) fn resolve(&self, mut id: TypeId) -> TypeId {
        // A name can be defined as another name, in a circle if malformed.
        for _ in 0..16 {
            match self.get(id) {
                Type::Named(named) => match self.named(*named).body {
                    Some(body) => id = body,
                    None => return id,
                },
                _ => return id,
            }
        }
        id
    }

    /// The type of field `index` of a struct, array or vector.
    pub(crate) fn field(&self, id: TypeId, index: u64) -> Option<TypeId> {
        match self.get(self.resolve(id)) {
            Type::Struct { fields, .. } => fields.get(usize::try_from(index).ok()?).copied(),
            Type::Array { element, .. } | Type::Vector { element, .. } => Some(*element),
            _ => None,
        }
    }

    pub(crate) fn is_void(&self, id: TypeId) -> bool {
        *self.get(id) == Type::Void
    }
}

#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    pub data_layout: Option<Name<'a>>,
    pub triple: Option<Name<'a>>,
    pub types: Types<'a>,
    pub variables: Vec<Variable<'a>>,
    pub functions: Vec<Function<'a>>,
    pub aliases: Vec<Alias<'a>>,
    pub metadata: Metadata<'a>,
    /// The first construct at module level that nothing can be done about.
    pub unsupported: Option<(Offset, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// Private and internal: seen by its own module only.
    Internal,
    External,
    /// All that give way to a strong definition: weak, linkonce and their ODR forms.
    Weak,
    Common,
    AvailableExternally,
    /// An undefined symbol that is null when nobody defines it.
    ExternalWeak,
    /// `@llvm.global_ctors` and the like.
    Appending,
}

#[derive(Debug)]
pub(crate) struct Variable<'a> {
    pub name: Name<'a>,
    pub offset: Offset,
    pub linkage: Linkage,
    pub is_thread_local: bool,
    pub is_constant: bool,
    pub address_space: u32,
    pub ty: TypeId,
    /// `None` for declarations.
    pub initial: Option<Constant<'a>>,
    pub align: Option<u64>,
    pub debug: Option<NodeId>,
}

#[derive(Debug)]
pub(crate) struct Alias<'a> {
    pub name: Name<'a>,
    pub linkage: Linkage,
    pub target: TypedConstant<'a>,
}

#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub name: Name<'a>,
    pub linkage: Linkage,
    pub result: TypeId,
    pub params: Vec<Param>,
    pub is_variadic: bool,
    pub debug: Option<NodeId>,
    pub body: Option<Body<'a>>,
}

#[derive(Debug)]
pub(crate) struct Param {
    pub ty: TypeId,
    pub attributes: ParamAttributes,
}

/// The few attributes that change what a call means.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ParamAttributes {
    pub by_value: Option<TypeId>,
    /// `inalloca` or `preallocated`.
    pub is_in_alloca: bool,
}

/// A local name of a function: parameter, instruction result or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotUse {
    /// Mentioned but never defined.
    Undefined,
    Param(u32),
    Block(u32),
    Inst {
        block: u32,
        index: u32,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Body<'a> {
    pub slots: Vec<SlotUse>,
    /// Names of blocks, for `blockaddress`.
    pub block_names: HashMap<Name<'a>, u32>,
    pub blocks: Vec<Block<'a>>,
    /// From `dbg.declare`: the variable that lives in an `alloca`.
    pub declarations: HashMap<Slot, NodeId>,
}

#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// The last one is the terminator.
    pub insts: Vec<Inst<'a>>,
}

#[derive(Debug)]
pub(crate) struct Inst<'a> {
    pub offset: Offset,
    pub result: Option<Slot>,
    /// Void when there is no result.
    pub ty: TypeId,
    pub kind: InstKind<'a>,
    pub debug: Option<NodeId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Typed<'a> {
    pub ty: TypeId,
    pub value: Value<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Local(Slot),
    Constant(Constant<'a>),
    /// An argument of an intrinsic; what it says is not needed.
    Metadata,
}

#[derive(Clone, Debug)]
pub(crate) enum Constant<'a> {
    /// Two's complement; cut to the width of its type.
    Int(u128),
    /// An integer literal that does not fit into 128 bits.
    WideInt,
    Float(&'a str),
    Null,
    /// Undefined or poison.
    Undefined,
    Zero,
    Symbol(Name<'a>),
    Bytes(&'a str),
    /// Elements of an array, struct or vector.
    Aggregate(Vec<TypedConstant<'a>>),
    /// All elements of a vector.
    Splat(Box<TypedConstant<'a>>),
    BlockAddress {
        function: Name<'a>,
        block: Name<'a>,
    },
    Expression(Box<Expression<'a>>),
    /// Anything else, named for the error message.
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct TypedConstant<'a> {
    pub ty: TypeId,
    pub value: Constant<'a>,
}

#[derive(Clone, Debug)]
pub(crate) enum Expression<'a> {
    Cast {
        op: CastOp,
        value: TypedConstant<'a>,
        to: TypeId,
    },
    ElementPointer {
        source: TypeId,
        base: TypedConstant<'a>,
        indices: Vec<TypedConstant<'a>>,
    },
    Binary {
        op: ir::BinaryOp,
        left: TypedConstant<'a>,
        right: TypedConstant<'a>,
    },
    Compare {
        op: ir::Comparison,
        left: TypedConstant<'a>,
        right: TypedConstant<'a>,
    },
    Select {
        condition: TypedConstant<'a>,
        then: TypedConstant<'a>,
        otherwise: TypedConstant<'a>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CastOp {
    /// A cast whose meaning does not depend on more than its operation.
    Plain(ir::Cast),
    /// The same bits; an identity between pointers.
    Bits,
    /// Between pointers of two address spaces.
    AddressSpace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryKind {
    Int(ir::BinaryOp),
    Float(ir::FloatOp),
}

#[derive(Debug)]
pub(crate) enum InstKind<'a> {
    Alloca {
        ty: TypeId,
        count: Option<Typed<'a>>,
        align: Option<u64>,
    },
    Load {
        address: Typed<'a>,
        ordering: Option<ir::Ordering>,
        is_volatile: bool,
    },
    Store {
        value: Typed<'a>,
        address: Typed<'a>,
        ordering: Option<ir::Ordering>,
        is_volatile: bool,
    },
    Rmw {
        /// Or the LLVM name of an operation nobody models.
        op: Result<ir::RmwOp, &'a str>,
        address: Typed<'a>,
        value: Typed<'a>,
        ordering: ir::Ordering,
    },
    CompareExchange {
        address: Typed<'a>,
        expected: Typed<'a>,
        replacement: Typed<'a>,
        success: ir::Ordering,
        failure: ir::Ordering,
        is_weak: bool,
    },
    /// `None` for a fence against the own thread's signal handlers only.
    Fence(Option<ir::Ordering>),
    Binary {
        op: BinaryKind,
        left: Typed<'a>,
        right: Typed<'a>,
        no_signed_wrap: bool,
    },
    FloatNegate(Typed<'a>),
    Compare {
        op: ir::Comparison,
        left: Typed<'a>,
        right: Typed<'a>,
    },
    FloatCompare {
        op: ir::FloatComparison,
        left: Typed<'a>,
        right: Typed<'a>,
    },
    Cast {
        op: CastOp,
        value: Typed<'a>,
    },
    ElementPointer {
        source: TypeId,
        base: Typed<'a>,
        indices: Vec<Typed<'a>>,
    },
    Select {
        condition: Typed<'a>,
        then: Typed<'a>,
        otherwise: Typed<'a>,
    },
    Extract {
        tuple: Typed<'a>,
        path: Vec<u32>,
    },
    Insert {
        tuple: Typed<'a>,
        field: Typed<'a>,
        path: Vec<u32>,
    },
    /// Vector element access.
    ExtractElement {
        vector: Typed<'a>,
        index: Typed<'a>,
    },
    InsertElement {
        vector: Typed<'a>,
        element: Typed<'a>,
        index: Typed<'a>,
    },
    /// Elements of two vectors, chosen by the constants of a third.
    Shuffle {
        left: Typed<'a>,
        right: Typed<'a>,
        mask: Typed<'a>,
    },
    Phi(Vec<(Typed<'a>, Slot)>),
    Freeze(Typed<'a>),
    Call(Box<Call<'a>>),
    /// A label of the source, as debug information has it.
    Label(NodeId),
    /// Known, but not executable: an error when reached.
    Unsupported(String),

    // Terminators.
    Return(Option<Typed<'a>>),
    Jump(Slot),
    Branch {
        condition: Typed<'a>,
        then: Slot,
        otherwise: Slot,
    },
    Switch {
        value: Typed<'a>,
        cases: Vec<(TypedConstant<'a>, Slot)>,
        default: Slot,
    },
    IndirectJump {
        address: Typed<'a>,
        targets: Vec<Slot>,
    },
    /// A call that may throw; only its normal way out is followed.
    Invoke {
        call: Box<Call<'a>>,
        normal: Slot,
    },
    Unreachable,
    UnsupportedTerminator(String),
}

impl InstKind<'_> {
    pub(crate) fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstKind::Return(_)
                | InstKind::Jump(_)
                | InstKind::Branch { .. }
                | InstKind::Switch { .. }
                | InstKind::IndirectJump { .. }
                | InstKind::Invoke { .. }
                | InstKind::Unreachable
                | InstKind::UnsupportedTerminator(_)
        )
    }
}

#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub callee: Callee<'a>,
    pub args: Vec<(Typed<'a>, ParamAttributes)>,
}

#[derive(Debug)]
pub(crate) enum Callee<'a> {
    Value(Typed<'a>),
    Asm(Assembly<'a>),
}

/// Assembly code in the middle of a function; escapes untouched.
#[derive(Debug)]
pub(crate) struct Assembly<'a> {
    pub template: &'a str,
    pub constraints: &'a str,
    /// Written in Intel's syntax rather than AT&T's.
    pub is_intel: bool,
}

/// The numbered metadata of a module.
#[derive(Debug, Default)]
pub(crate) struct Metadata<'a> {
    nodes: Vec<Option<Node<'a>>>,
}

impl<'a> Metadata<'a> {
    pub(crate) fn get(&self, id: NodeId) -> Option<&Node<'a>> {
        self.nodes.get(id as usize)?.as_ref()
    }

    pub(crate) fn insert(&mut self, id: NodeId, node: Node<'a>) {
        let index = id as usize;
        if self.nodes.len() <= index {
            self.nodes.resize_with(index + 1, || None);
        }
        self.nodes[index] = Some(node);
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeId, &Node<'a>)> {
        let numbered = self.nodes.iter().enumerate();
        numbered.filter_map(|(id, node)| Some((id as NodeId, node.as_ref()?)))
    }
}

/// `!DIFile(filename: "a.c")`, or `!{...}`, whose kind is empty and whose fields
/// have no names.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    pub kind: &'a str,
    pub fields: Vec<(&'a str, Field<'a>)>,
}

#[derive(Clone, Debug)]
pub(crate) enum Field<'a> {
    Node(NodeId),
    Int(i128),
    /// Escapes untouched.
    Text(&'a str),
    /// `DW_TAG_member`, `true`, or the first of several flags.
    Word(&'a str),
    /// `DIFlagPublic | DIFlagVirtual`.
    Flags(Vec<&'a str>),
    /// Null, or something the reader has no use for, such as a nested node.
    Other,
}

impl<'a> Node<'a> {
    pub(crate) fn field(&self, name: &str) -> Option<&Field<'a>> {
        let found = self.fields.iter().find(|(field, _)| *field == name);
        found.map(|(_, value)| value)
    }

    pub(crate) fn node(&self, name: &str) -> Option<NodeId> {
        match self.field(name)? {
            Field::Node(id) => Some(*id),
            _ => None,
        }
    }

    pub(crate) fn int(&self, name: &str) -> Option<i128> {
        match self.field(name)? {
            Field::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn unsigned(&self, name: &str) -> Option<u64> {
        u64::try_from(self.int(name)?).ok()
    }

    pub(crate) fn word(&self, name: &str) -> Option<&'a str> {
        match self.field(name)? {
            Field::Word(word) => Some(word),
            _ => None,
        }
    }

    /// A text that is not empty, escapes resolved.
    pub(crate) fn text(&self, name: &str) -> Option<Name<'a>> {
        match self.field(name)? {
            Field::Text(raw) if !raw.is_empty() => Some(crate::lex::unescape(raw)),
            _ => None,
        }
    }

    pub(crate) fn has_flag(&self, flag: &str) -> bool {
        match self.field("flags") {
            Some(Field::Word(word)) => *word == flag,
            Some(Field::Flags(words)) => words.contains(&flag),
            _ => false,
        }
    }

    /// The nodes that a `!{...}` lists; nulls are left out.
    pub(crate) fn elements(&self) -> impl Iterator<Item = &Field<'a>> {
        self.fields.iter().map(|(_, value)| value)
    }
}

impl<'a> Call<'a> {
    /// The name of the compiler's own function that is called, without `llvm.`.
    pub(crate) fn intrinsic(&self) -> Option<&str> {
        match &self.callee {
            Callee::Value(Typed {
                value: Value::Constant(Constant::Symbol(name)),
                ..
            }) => name.strip_prefix("llvm."),
            _ => None,
        }
    }
}
