"""Operations on whole numbers."""

from visarith.operations.builtin import ADD as ADD
from visarith.operations.builtin import ADD_SUBTRACT as ADD_SUBTRACT
from visarith.operations.builtin import ADD_THREE as ADD_THREE
from visarith.operations.builtin import ANY as ANY
from visarith.operations.builtin import ASSOCIATE as ASSOCIATE
from visarith.operations.builtin import COPY as COPY
from visarith.operations.builtin import HALVE as HALVE
from visarith.operations.builtin import MULTIPLY as MULTIPLY
from visarith.operations.builtin import OPERATIONS as OPERATIONS
from visarith.operations.builtin import SUBTRACT as SUBTRACT
from visarith.operations.column_rule import ColumnRule as ColumnRule
from visarith.operations.operation import Domain as Domain
from visarith.operations.operation import Operation as Operation
