//! Sizes, alignments and field offsets of LLVM types, by the module's
//! `target datalayout`.
//!
//! This is where it matters that an `i64` is aligned to 4 bytes on i386, or that
//! an `i128` was aligned to 8 before LLVM 18. All arithmetic is checked: a type
//! too large to exist has no extent, like an incomplete one.

use crate::ast::{Type, TypeId, Types};
use std::collections::HashMap;

/// Used when a module does not say (hand-written ones do not have to).
const DEFAULT: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Larger objects than this cannot be addressed by any supported target.
const MAX_BYTES: u64 = 1 << 47;

/// Deepest nesting of structs in structs.
const MAX_DEPTH: u32 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes from one array element to the next.
    pub size: u64,
    pub align: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub pointer_bytes: u64,
    pub is_little_endian: bool,
    pointer_align: u64,
    /// Ascending by width.
    int_aligns: Vec<(u32, u64)>,
    float_aligns: Vec<(u32, u64)>,
    vector_aligns: Vec<(u32, u64)>,
    aggregate_align: u64,
    known: HashMap<TypeId, Option<Extent>>,
}

impl Layout {
    pub(crate) fn new(data_layout: Option<&str>) -> Self {
        let mut layout = Layout {
            pointer_bytes: 8,
            is_little_endian: true,
            pointer_align: 8,
            int_aligns: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)],
            float_aligns: vec![(16, 2), (32, 4), (64, 8), (80, 16), (128, 16)],
            vector_aligns: vec![(64, 8), (128, 16)],
            aggregate_align: 1,
            known: HashMap::new(),
        };
        let text = data_layout
            .filter(|text| !text.is_empty())
            .unwrap_or(DEFAULT);
        for part in text.split('-') {
            layout.apply(part);
        }
        layout
    }

    fn apply(&mut self, part: &str) {
        let mut fields = part.split(':');
        let head = fields.next().unwrap_or_default();
        let first = fields.next().and_then(|bits| bits.parse::<u64>().ok());
        let second = fields.next().and_then(|bits| bits.parse::<u64>().ok());
        let bytes = |bits: Option<u64>| {
            let bytes = bits? / 8;
            (bytes.is_power_of_two() && bytes <= 4096).then_some(bytes)
        };
        let Some(kind) = head.chars().next() else {
            return;
        };
        let width = head[kind.len_utf8()..].parse::<u32>().ok();
        match kind {
            'E' => self.is_little_endian = false,
            'e' => self.is_little_endian = true,
            'p' if head == "p" || head == "p0" => {
                if let Some(size) = bytes(first) {
                    self.pointer_bytes = size;
                    self.pointer_align = bytes(second).unwrap_or(size);
                }
            }
            'a' => {
                // `a:0:64` gives an alignment of zero, which means none.
                self.aggregate_align = bytes(first).unwrap_or(1);
            }
            'i' | 'f' | 'v' => {
                let (Some(width), Some(align)) = (width, bytes(first)) else {
                    return;
                };
                let table = match kind {
                    'i' => &mut self.int_aligns,
                    'f' => &mut self.float_aligns,
                    _ => &mut self.vector_aligns,
                };
                match table.binary_search_by_key(&width, |(width, _)| *width) {
                    Ok(index) => table[index].1 = align,
                    Err(index) => table.insert(index, (width, align)),
                }
            }
            _ => {}
        }
    }

    /// `None` for types without a size: opaque, void, functions, too large ones.
    pub(crate) fn extent(&mut self, types: &Types<'_>, id: TypeId) -> Option<Extent> {
        self.extent_within(types, id, MAX_DEPTH)
    }

    fn extent_within(&mut self, types: &Types<'_>, id: TypeId, depth: u32) -> Option<Extent> {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let extent = depth
            .checked_sub(1)
            .and_then(|depth| self.compute(types, id, depth))
            .filter(|extent| extent.size <= MAX_BYTES);
        self.known.insert(id, extent);
        extent
    }

    fn compute(&mut self, types: &Types<'_>, id: TypeId, depth: u32) -> Option<Extent> {
        let scalar = |bytes: u64, align: u64| {
            let size = bytes.checked_next_multiple_of(align)?;
            Some(Extent { size, align })
        };
        match types.get(id) {
            Type::Int(bits) => {
                let align = self.int_align(*bits);
                scalar(u64::from(bits.div_ceil(8)), align)
            }
            Type::Float => scalar(4, align_of(&self.float_aligns, 32, 4)),
            Type::Double => scalar(8, align_of(&self.float_aligns, 64, 8)),
            Type::ExoticFloat(name) => match *name {
                "half" | "bfloat" => scalar(2, align_of(&self.float_aligns, 16, 2)),
                "x86_fp80" => scalar(10, align_of(&self.float_aligns, 80, 16)),
                _ => scalar(16, align_of(&self.float_aligns, 128, 16)),
            },
            Type::Pointer { .. } => scalar(self.pointer_bytes, self.pointer_align),
            Type::Array { count, element } => {
                let element = self.extent_within(types, *element, depth)?;
                Some(Extent {
                    size: element.size.checked_mul(*count)?,
                    align: element.align,
                })
            }
            Type::Vector { count, element } => {
                let element_bits = match types.get(*element) {
                    Type::Int(bits) => u64::from(*bits),
                    _ => self.extent_within(types, *element, depth)?.size * 8,
                };
                let bits = element_bits.checked_mul(*count)?;
                let bytes = bits.div_ceil(8).max(1);
                if bytes > MAX_BYTES {
                    return None;
                }
                let natural = bytes.checked_next_power_of_two()?;
                let width = u32::try_from(bits).unwrap_or(u32::MAX);
                scalar(bytes, align_of(&self.vector_aligns, width, natural))
            }
            Type::Struct { fields, is_packed } => {
                let mut end = 0u64;
                let mut align = if *is_packed { 1 } else { self.aggregate_align };
                for field in fields.iter() {
                    let field = self.extent_within(types, *field, depth)?;
                    if !is_packed {
                        end = end.checked_next_multiple_of(field.align)?;
                        align = align.max(field.align);
                    }
                    end = end.checked_add(field.size)?;
                }
                scalar(end, align)
            }
            Type::Named(named) => self.extent_within(types, types.named(*named).body?, depth),
            Type::Void | Type::Label | Type::Metadata | Type::Function { .. } | Type::Other(_) => {
                None
            }
        }
    }

    /// LLVM takes the next wider listed width, or else the widest.
    fn int_align(&self, bits: u32) -> u64 {
        let wider = self.int_aligns.iter().find(|(width, _)| *width >= bits);
        wider
            .or(self.int_aligns.last())
            .map_or(1, |(_, align)| *align)
    }

    /// Byte offsets of the fields of a struct, array or vector value.
    pub(crate) fn field_offset(
        &mut self,
        types: &Types<'_>,
        id: TypeId,
        index: u64,
    ) -> Option<u64> {
        match types.get(types.resolve(id)) {
            Type::Struct { fields, is_packed } => {
                let mut end = 0u64;
                for (position, field) in fields.iter().enumerate() {
                    let field = self.extent(types, *field)?;
                    if !is_packed {
                        end = end.checked_next_multiple_of(field.align)?;
                    }
                    if position as u64 == index {
                        return Some(end);
                    }
                    end = end.checked_add(field.size)?;
                }
                None
            }
            Type::Array { element, .. } | Type::Vector { element, .. } => {
                self.extent(types, *element)?.size.checked_mul(index)
            }
            _ => None,
        }
    }
}

fn align_of(table: &[(u32, u64)], width: u32, otherwise: u64) -> u64 {
    let found = table.iter().find(|(listed, _)| *listed == width);
    found.map_or(otherwise, |(_, align)| *align)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// The extent of the first named type of a module.
    fn extent(text: &str) -> Option<Extent> {
        let mut module = parse(text).unwrap();
        let name = "t".into();
        let id = module.types.named_id(name);
        let id = module.types.intern(Type::Named(id));
        let mut layout = Layout::new(module.data_layout.as_deref());
        layout.extent(&module.types, id)
    }

    const I386: &str = "target datalayout = \"e-m:e-p:32:32-f64:32:64-f80:32-n8:16:32-S128\"\n";

    #[test]
    fn i386_aligns_long_long_to_four() {
        let expected = Some(Extent { size: 12, align: 4 });
        assert_eq!(extent(&format!("{I386}%t = type {{ i8, i64 }}")), expected);
        assert_eq!(
            extent(&format!("{I386}%t = type {{ i8*, double }}")),
            expected
        );
        assert_eq!(extent(&format!("{I386}%t = type x86_fp80")), expected);
    }

    #[test]
    fn x86_64_by_default() {
        let size = |size, align| Some(Extent { size, align });
        assert_eq!(extent("%t = type { i8, i64 }"), size(16, 8));
        assert_eq!(extent("%t = type <{ i8, i64 }>"), size(9, 1));
        assert_eq!(extent("%t = type { i24, [3 x i16] }"), size(12, 4));
        assert_eq!(extent("%t = type x86_fp80"), size(16, 16));
        assert_eq!(extent("%t = type <3 x float>"), size(16, 16));
        assert_eq!(extent("%t = type { i1, i128 }"), size(32, 16));
    }

    #[test]
    fn impossible_types_have_no_extent() {
        assert_eq!(extent("%t = type opaque"), None);
        assert_eq!(extent("%t = type { %t }"), None);
        assert_eq!(extent("%t = type %t"), None);
        assert_eq!(extent("%t = type [9999999999999999 x i8]"), None);
        assert_eq!(extent("%t = type [4294967296 x [4294967296 x i64]]"), None);
    }
}
